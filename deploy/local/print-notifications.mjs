// Prints the text of each notification that a webhook sends to http://localhost:9000.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

createServer(async (request, response) => {
  const { data } = JSON.parse(await text(request));
  console.log(`\n${data.text}`);
  response.end();
}).listen(9000, 'localhost');
