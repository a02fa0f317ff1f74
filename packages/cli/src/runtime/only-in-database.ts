/** What is lost with the embedded database, because the log that rebuilds it does not have it. */
export const onlyInDatabase =
  'logins, created tokens, the audit log, notifications and deploys that were added in the dashboard or by the API, ' +
  'messages stored by gateways, the use of shared budgets, and what is older than the log';
