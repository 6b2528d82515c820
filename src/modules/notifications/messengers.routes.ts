import { Elysia, t } from "elysia";
import { withoutNulls } from "../../lib/defined.ts";
import { inEnglish } from "../../lib/domain-error.ts";
import { iso } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { successBody } from "../wire.schemas.ts";
import { hasSecret } from "./messenger-changes.ts";
import {
  createMessengerBody,
  messengerBody,
  messengerTestBody,
  updateMessengerBody,
} from "./messengers.schemas.ts";
import type { MessengersService, MessengerTest } from "./messengers.service.ts";
import type { Messenger } from "./messengers.types.ts";

const messengerList = wholeList({ sort: ["name", "kind", "createdAt", "updatedAt"], search: ["name"] });

const testToWire = ({ text, ...result }: MessengerTest) => ({ ...result, ...text, message: inEnglish(text) });

/** Returns a messenger for clients and for the audit log: without its secret. */
const shown = ({ tenantId: _, target: __, fields, ...messenger }: Messenger) => ({
  ...messenger,
  ...fields,
  severities: [...messenger.severities],
  triggers: [...messenger.triggers],
  createdAt: iso(messenger.createdAt),
  updatedAt: iso(messenger.updatedAt),
});

/** Returns a function that shows a messenger with what became of its messages. */
const wireOf = (messengers: MessengersService) => (messenger: Messenger) => {
  const { sent, waiting, dead, lastSentAt, lastError, lastErrorAt } = messengers.countsOf(messenger);
  const last = { lastSentAt: iso(lastSentAt), lastError, lastErrorAt: iso(lastErrorAt) };
  return {
    ...shown(messenger),
    hasSecret: hasSecret(messenger),
    delivery: { sent, waiting, failed: dead, ...withoutNulls(last) },
  };
};

interface MessengersRoutesDeps {
  readonly messengers: MessengersService;
  readonly auth: AuthPlugin;
}

const readFrom =
  (messengers: MessengersService) =>
  ({ principal }: AuditContext, id: string) =>
    shown(messengers.get(principal, id));

/** Routes of the messengers that get the alarms of a tenant. */
export const messengersRoutes = ({ messengers, auth }: MessengersRoutesDeps) => {
  const toWire = wireOf(messengers);
  const read = readFrom(messengers);
  return new Elysia({ prefix: "/api/notifications/messengers", tags: ["alarms"] })
    .use(auth)
    .get(
      "",
      ({ principal, query, request, set }) =>
        messengerList.page({ query, request, set }, messengers.list(principal).map(toWire)),
      {
        auth: "alarms:escalation",
        query: t.Object(messengerList.fields),
        response: { 200: t.Array(messengerBody) },
        detail: { summary: "List the messengers that get alarms" },
      },
    )
    .post(
      "",
      ({ principal, body, set }) => {
        set.status = 201;
        return toWire(messengers.create(principal, body));
      },
      {
        auth: "alarms:escalation",
        audit: { action: "messenger.create", target: "messenger", created: "messengerId", read },
        body: createMessengerBody,
        response: { 201: messengerBody },
        detail: {
          summary: "Create a messenger",
          description:
            "A chat, channel or topic that gets each alarm of the site once. Requests go through the delivery queue: at least once, with retries for 24 hours, and only to addresses that the gateway may reach. 409 beyond 20 messengers.",
        },
      },
    );
};

/** Routes of one messenger. */
export const messengerRoutes = ({ messengers, auth }: MessengersRoutesDeps) => {
  const toWire = wireOf(messengers);
  const read = readFrom(messengers);
  return new Elysia({ prefix: "/api/notifications/messengers", tags: ["alarms"] })
    .use(auth)
    .get("/:messengerId", ({ principal, params }) => toWire(messengers.get(principal, params.messengerId)), {
      auth: "alarms:escalation",
      response: { 200: messengerBody },
      detail: { summary: "Get a messenger" },
    })
    .patch(
      "/:messengerId",
      ({ principal, params, body }) => toWire(messengers.update(principal, params.messengerId, body)),
      {
        auth: "alarms:escalation",
        audit: {
          action: "messenger.update",
          target: "messenger",
          read,
        },
        body: updateMessengerBody,
        response: { 200: messengerBody },
        detail: {
          summary: "Change a messenger",
          description: "Missing fields stay as they are. Another kind or server needs `secret` again.",
        },
      },
    )
    .delete(
      "/:messengerId",
      ({ principal, params }) => {
        messengers.delete(principal, params.messengerId);
        return { success: true };
      },
      {
        auth: "alarms:escalation",
        audit: {
          action: "messenger.delete",
          target: "messenger",
          read,
        },
        response: { 200: successBody },
        detail: { summary: "Delete a messenger", description: "Messages that wait for it are deleted too." },
      },
    )
    .post(
      "/:messengerId/test",
      async ({ principal, params }) => testToWire(await messengers.test(principal, params.messengerId)),
      {
        auth: "alarms:escalation",
        audit: { action: "messenger.test", target: "messenger" },
        response: { 200: messengerTestBody },
        detail: {
          summary: "Send a test message to a messenger",
          description:
            "A failure is a 200 with `success` false and the reason. 429 after ten tests within ten minutes.",
        },
      },
    );
};
