# syntax=docker/dockerfile:1
ARG NODE_IMAGE=node:22-slim

# Build stage: all dependencies, sources, the dashboard.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY . .
RUN npm ci --ignore-scripts && npm run build
# Development dependencies stay in the build stage.
RUN npm prune --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    LOOPWATCH_SERVER_HOST=0.0.0.0 \
    LOOPWATCH_WORKER_HOST=0.0.0.0 \
    LOOPWATCH_GATEWAY_HOST=0.0.0.0 \
    LOOPWATCH_STORAGE_DATA_DIR=/var/lib/loopwatch
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/node_modules ./node_modules
COPY --from=build --chown=root:root /app/packages ./packages
COPY --from=build --chown=root:root /app/samples ./samples
RUN mkdir -p /var/lib/loopwatch && chown node:node /var/lib/loopwatch
VOLUME /var/lib/loopwatch
USER node
# The server requires LOOPWATCH_API_TOKEN, or LOOPWATCH_SERVER_ALLOW_ANONYMOUS=true if the port is only published to
# localhost (-p 127.0.0.1:4600:4600).
# 4600: dashboard, API and metrics. 4601: health and metrics of a worker. 4610: the gateway.
EXPOSE 4600 4601 4610
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4600/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/cli/bin/loopwatch.js"]
CMD ["start"]
