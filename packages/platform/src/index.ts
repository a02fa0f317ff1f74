export { beginningOf } from './beginning-of.ts';
export { repairCommand, setAsideDamaged } from './damaged-files.ts';
export { removeChecksums, verifyChecksums, writeChecksums } from './folder-checksums.ts';
export { FolderError, folderError } from './folder-error.ts';
export { lockFolder } from './folder-lock.ts';
export { closeGently } from './http-connections.ts';
export type { LogFunction } from './log-function.ts';
export { isLoopback } from './loopback.ts';
export { OpenRequests } from './open-requests.ts';
export {
  closeToOthers,
  createFolder,
  PRIVATE_FILE as privateFile,
  syncFolder,
} from './private-folder.ts';
export { atMost, delay, within } from './timing.ts';
export { utcText } from './utc-text.ts';
export { createZstdDecompress, ZstdError, zstdDecoder } from './zstd.ts';
