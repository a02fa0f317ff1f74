// Creates the empty database that the first start extracts into a new data folder.
import { makePgliteTemplate } from '../packages/storage/dist/index.js';

await makePgliteTemplate();
