// Prints the text of each message that a webhook of Loopwatch or Alertmanager sends to http://localhost:9000.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

createServer(async (request, response) => {
  const { data, alerts = [] } = JSON.parse(await text(request));
  if (data !== undefined) console.log(`\n${data.text}`);
  for (const { status, annotations } of alerts) console.log(`\nAlert, ${status}: ${annotations.summary}`);
  response.end();
}).listen(9000, 'localhost');
