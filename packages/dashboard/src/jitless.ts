import { config } from 'zod';

// The content security policy forbids code generated at run time. Imported first: a module may parse while it is loaded.
config({ jitless: true });
