declare module 'snappyjs' {
  const snappy: {
    compress(bytes: Buffer): Buffer;
    uncompress(bytes: Buffer): Buffer;
  };
  export default snappy;
}
