// Creates the empty database that the first start copies into a new data folder.
import { makePgliteTemplate } from '../packages/storage/dist/index.js';

await makePgliteTemplate();
