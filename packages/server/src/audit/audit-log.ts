import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  AUDIT_DAYS,
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
} from '@loopwatch/contract/api';
import { type Database, jsonText, type Queryable } from '@loopwatch/storage';
import type { Paging } from '../http/parse-query.ts';
import type { Hosts } from '../security/hosts.ts';
import { anonymousOperator, userOf } from '../security/user.ts';
import { Conditions } from '../storage/conditions.ts';
import { inOrder } from '../storage/in-order.ts';
import { pageOfIds } from '../storage/page-query.ts';

const DAY = 86_400_000;

export interface AuditLogOptions {
  readonly database: Database;
  readonly hosts: Pick<Hosts, 'addressOf'>;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Who made a change. */
export type AuditOrigin = Pick<AuditEntry, 'actor' | 'role' | 'address'>;

/** Records who changed what. */
export class AuditLog {
  readonly #options: AuditLogOptions;

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  originOf(request: IncomingMessage): AuditOrigin {
    const { name, role } = userOf(request) ?? anonymousOperator;
    return { actor: name, role, address: this.#options.hosts.addressOf(request) };
  }

  /** Call once the change is made. */
  record(request: IncomingMessage, action: AuditAction, subject: string, detail: object = {}): Promise<void> {
    return this.add(this.#options.database, this.originOf(request), action, subject, detail);
  }

  /** Like {@link record}, in the transaction of a change that outlasts its request. */
  async add(
    database: Queryable,
    { actor, role, address }: AuditOrigin,
    action: AuditAction,
    subject: string,
    detail: object,
  ): Promise<void> {
    await database.query(
      `insert into audit_log (id, at, actor, role, address, action, subject, detail)
       values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)`,
      [randomUUID(), this.#options.now(), actor, role, address, action, subject, jsonText(detail)],
    );
  }
}

/** Newest first. */
export async function listAudit(
  database: Queryable,
  filter: AuditFilter,
  paging: Paging,
): Promise<AuditPage> {
  const conditions = new Conditions();
  conditions.anyOf('action', filter.action);
  conditions.anyOf('actor', filter.actor);
  conditions.anyOf('subject', filter.subject);
  conditions.between('at', filter.from, filter.to);
  const page = await pageOfIds(database, {
    table: 'audit_log',
    conditions,
    columns: { at: 'at' },
    ...paging,
    sort: { by: 'at', descending: true },
  });
  const rows = await database.query<AuditEntry>(
    `select id, at, actor, role, address, action, subject, detail from audit_log
     where id in (select jsonb_array_elements_text($1::jsonb))`,
    [jsonText(page.items)],
  );
  const entries = rows.map((row) => [row.id, row] as const);
  return { ...page, items: inOrder(page.items, entries) };
}

/** @param now wall clock, epoch ms */
export async function removeOldAudit(database: Queryable, now: number): Promise<void> {
  await database.query('delete from audit_log where at < $1::float8', [now - AUDIT_DAYS * DAY]);
}
