declare module 'kafkajs-snappy' {
  const codec: () => unknown;
  export default codec;
}
