import { readdirSync, readFileSync } from 'node:fs';

/** One step of the database's schema. A released step never changes; a new one follows it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** Beside `src` and `dist`, so that sources and built code read the same files. */
const folder = new URL('../migrations/', import.meta.url);

/** `migrations/NNNN-name.sql`, in order. */
export const migrations: readonly Migration[] = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .sort()
  .map((file) => ({
    number: Number(file.slice(0, 4)),
    name: file.slice(5, -4).replaceAll('-', ' '),
    sql: readFileSync(new URL(file, folder), 'utf8').replaceAll('\r\n', '\n'),
  }));
