import type { listedMail, mailBody } from "../../../modules/mail/mail.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, getPage, post } from "../../platform/api-client.ts";

export type ListedMail = Wire<typeof listedMail>;
export type Mail = Wire<typeof mailBody>;

export const MAIL_STATES = ["QUEUED", "SENT", "FAILED", "HELD"] as const;

const mail = (id: string): string => `/api/outbox/${encodeURIComponent(id)}`;

export const outboxApi = {
  list: (query: { search: string; state: string; limit: number }) =>
    getPage<ListedMail>(`/api/outbox`, query),
  get: (id: string) => get<Mail>(mail(id)),
  retry: (id: string) => post<Mail>(`${mail(id)}/retry`),
};
