import { call, get, post, queryOf } from "../../platform/api-client.ts";

export const MAIL_STATES = ["QUEUED", "SENT", "FAILED", "HELD"] as const;

export interface ListedMail {
  readonly mailId: string;
  readonly to: string;
  readonly subject: string;
  readonly state: (typeof MAIL_STATES)[number];
  readonly attempts: number;
  readonly nextAttemptAt?: string;
  readonly lastError?: string;
  readonly createdAt: string;
  readonly sentAt?: string;
}

export interface Mail extends ListedMail {
  readonly text: string;
}

const mail = (id: string): string => `/api/outbox/${encodeURIComponent(id)}`;

export const outboxApi = {
  async list(query: { search: string; state: string; limit: number }) {
    const { body, total } = await call<ListedMail[]>("GET", `/api/outbox?${queryOf(query)}`);
    return { rows: body, total: total ?? body.length };
  },
  get: (id: string) => get<Mail>(mail(id)),
  retry: (id: string) => post<Mail>(`${mail(id)}/retry`),
};
