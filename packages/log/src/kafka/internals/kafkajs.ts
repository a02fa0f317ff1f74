// Only this file imports the parts of kafkajs 2.2.4 that its types do not declare.
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import errors from 'kafkajs/src/protocol/error.js';
import encodeFetchRequest from 'kafkajs/src/protocol/requests/fetch/v11/request.js';

const { createErrorFromCode } = errors;

export { createErrorFromCode, Decoder, Encoder, encodeFetchRequest };
