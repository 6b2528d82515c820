import type { messengerBody, messengerTestBody } from "../../../modules/notifications/messengers.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, patch, post, remove } from "../../platform/api-client.ts";

export type Messenger = Wire<typeof messengerBody>;
export type MessengerKind = Messenger["kind"];
export type MessengerTest = Wire<typeof messengerTestBody>;
/** An omitted secret is kept. */
export type MessengerForm = Pick<
  Messenger,
  | "name"
  | "kind"
  | "isEnabled"
  | "ruleScope"
  | "language"
  | "severities"
  | "triggers"
  | "server"
  | "chatId"
  | "topic"
> & { readonly secret?: string };

const BASE = "/api/notifications/messengers";
const messenger = (id: string) => `${BASE}/${encodeURIComponent(id)}`;

export const messengersApi = {
  list: () => get<Messenger[]>(`${BASE}?limit=100`),
  create: (form: MessengerForm) => post<Messenger>(BASE, form),
  update: (id: string, form: MessengerForm) => patch<Messenger>(messenger(id), form),
  delete: (id: string) => remove(messenger(id)),
  test: (id: string) => post<MessengerTest>(`${messenger(id)}/test`),
};
