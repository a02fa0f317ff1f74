# syntax=docker/dockerfile:1
# docker buildx build --platform linux/amd64,linux/arm64 -t REGISTRY/loopwatch:0.1.0 --push .
# docs/deployment.md shows how to pin the base image by its digest.
ARG NODE_IMAGE=node:22-slim

# Build stage, on the builder's own platform: the command with its pages, samples and migrations.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /app
# Only what npm reads, so that a change of other files leaves this layer as it is.
COPY --parents package.json package-lock.json .npmrc packages/*/package.json tools/testkit/package.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY . .
RUN npm run build
# The files that links stand for, without source maps.
RUN cp -rL dist/loopwatch /out && find /out -name '*.js.map' -delete

# The packages that the bundle does not contain, on the platform of the image: they have native parts.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY --from=build /out/package.json ./
RUN --mount=type=cache,target=/root/.npm npm install --ignore-scripts --omit=dev --no-package-lock

# The base image with Node but without package managers, whose own packages would have to be kept free of vulnerabilities.
FROM ${NODE_IMAGE} AS system
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /usr/local/share/doc /usr/local/share/man /opt/yarn-* \
      /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg && \
    test -z "$(command -v npm npx corepack yarn)" && node --version

# Copied, because removed files would stay in the layers of the base image.
FROM scratch
# hadolint ignore=DL3067
COPY --from=system / /
ARG NODE_IMAGE
ARG VERSION=0.1.0
ARG REVISION
LABEL org.opencontainers.image.title="Loopwatch" \
      org.opencontainers.image.description="Finds loops in the event streams of AI agents" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${NODE_IMAGE}"
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_ENV=production \
    LOOPWATCH_SERVER_HOST=0.0.0.0 \
    LOOPWATCH_WORKER_HOST=0.0.0.0 \
    LOOPWATCH_GATEWAY_HOST=0.0.0.0 \
    LOOPWATCH_STORAGE_DATA_DIR=/var/lib/loopwatch
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /out ./packages/cli
RUN install -d -o 1000 -g 1000 /var/lib/loopwatch
# The root file system may be read-only: processes write to this volume only.
VOLUME /var/lib/loopwatch
# The user `node` of the base image, as numbers, so that Kubernetes can tell that it is not root.
USER 1000:1000
# The server requires LOOPWATCH_API_TOKEN, or LOOPWATCH_SERVER_ALLOW_ANONYMOUS=true if the port is only published to
# localhost (-p 127.0.0.1:4600:4600).
# 4600: dashboard, API and metrics. 4601: health and metrics of a worker. 4610: the gateway.
EXPOSE 4600 4601 4610
# Each command listens on one of these ports.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=6 \
  CMD ["node", "-e", "Promise.any([4600, 4601, 4610].map((port) => fetch(`http://127.0.0.1:${port}/healthz`).then((r) => r.ok || Promise.reject()))).then(() => process.exit(0), () => process.exit(1))"]
# Workers allocate much; the default of 16 MiB makes garbage collection twice as costly.
ENTRYPOINT ["node", "--max-semi-space-size=32", "packages/cli/bin/loopwatch.js"]
CMD ["start"]
