import { withoutNulls } from "../../lib/core/defined.ts";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { hasSecret } from "./messenger-changes.ts";
import { type Messenger, messengerResource } from "./messengers.resource.ts";
import { messengerTestBody } from "./messengers.schemas.ts";
import type { MessengersService, MessengerTest } from "./messengers.service.ts";

const testToWire = ({ text, ...result }: MessengerTest) => ({ ...result, ...text, message: inEnglish(text) });

/** Returns a messenger without its secret, for clients and the audit log. */
const shown = ({ target: _, fields, ...messenger }: Messenger) => ({ ...itemToWire(messenger), ...fields });

/** Returns a function that converts a messenger with the status of its messages. */
const wireOf = (messengers: MessengersService) => (messenger: Messenger) => {
  const { sent, waiting, dead, lastSentAt, lastError, lastErrorAt } = messengers.countsOf(messenger);
  const last = { lastSentAt: iso(lastSentAt), lastError, lastErrorAt: iso(lastErrorAt) };
  return {
    ...shown(messenger),
    hasSecret: hasSecret(messenger),
    delivery: { sent, waiting, failed: dead, ...withoutNulls(last) },
  };
};

export const messengersRoutes = ({ messengers, auth }: { messengers: MessengersService; auth: AuthPlugin }) =>
  resourceRoutes(messengerResource, {
    service: messengers,
    toWire: wireOf(messengers),
    read: ({ principal }, id) => shown(messengers.get(principal, id)),
    auth,
  }).post(
    "/:messengerId/test",
    async ({ principal, params }) => testToWire(await messengers.test(principal, params.messengerId)),
    {
      auth: "alarms:escalation",
      audit: { action: "messenger.test", target: "messenger" },
      response: { 200: messengerTestBody },
      detail: {
        operationId: "testMessenger",
        summary: "Send a test message to a messenger",
        description: "A failure is a 200 with `success` false and the reason.",
        errors: { 429: "There were ten tests within ten minutes." },
      },
    },
  );
