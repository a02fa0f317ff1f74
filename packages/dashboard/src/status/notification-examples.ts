/** The shortest configuration of each type of notification, to begin with. */
export const notificationExamples = [
  {
    type: 'slack',
    title: 'Slack',
    yaml: `notifications:
  - name: chat
    type: slack
    token_env: SLACK_BOT_TOKEN
    channel: "#agents"
`,
  },
  {
    type: 'pagerduty',
    title: 'PagerDuty',
    yaml: `notifications:
  - name: pager
    type: pagerduty
    routing_key_env: PAGERDUTY_ROUTING_KEY
    when:
      action: block
`,
  },
  {
    type: 'webhook',
    title: 'Webhook',
    yaml: `notifications:
  - name: ops
    type: webhook
    url: https://ops.example.com/hooks/loopwatch
    secret_env: OPS_WEBHOOK_SECRET
`,
  },
  {
    type: 'langfuse',
    title: 'Langfuse',
    yaml: `notifications:
  - name: scores
    type: langfuse
    public_key: pk-lf-1
    secret_key_env: LANGFUSE_SECRET_KEY
`,
  },
  {
    type: 'otlp',
    title: 'OpenTelemetry',
    yaml: `notifications:
  - name: traces
    type: otlp
    endpoint: http://localhost:4318
`,
  },
] as const;
