import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { defineResource } from "../api/resource.ts";
import { createMessengerBody, messengerBody, updateMessengerBody } from "./messengers.schemas.ts";
import { messengers } from "./notifications.tables.ts";

/** Max. messengers of a tenant. */
const MESSENGERS_MAX = 20;

export const messengerResource = defineResource({
  name: "messenger",
  table: messengers,
  key: "messengerId",
  path: "/api/notifications/messengers",
  tag: "alarms",
  permissions: { read: "alarms:escalation", write: "alarms:escalation" },
  order: { by: "name" },
  list: { sort: ["name", "kind", "createdAt", "updatedAt"], search: ["name"] },
  notFound: () => notFound("messengers.not_found"),
  limit: { max: MESSENGERS_MAX, reached: (max) => conflict("messengers.too_many", { max }) },
  schemas: { item: messengerBody, create: createMessengerBody, update: updateMessengerBody },
  operations: {
    list: { summary: "List the messengers that get alarms" },
    create: {
      summary: "Create a messenger",
      description:
        "A chat, channel or topic that gets each alarm of the site once. Requests go through the delivery queue: at least once, with retries for 24 hours, and only to addresses that the gateway may reach.",
      errors: { 409: `There are already ${MESSENGERS_MAX} messengers.` },
      example: { name: "Shift", kind: "NTFY", topic: "plant-7f3a", severities: ["CRITICAL"] },
    },
    get: { summary: "Get a messenger" },
    update: {
      summary: "Change a messenger",
      description:
        "Missing fields keep their values. If you change the kind or the server, send `secret` again.",
      example: { isEnabled: false },
    },
    delete: { summary: "Delete a messenger", description: "Messages that wait for it are deleted too." },
  },
});

/** Group, channel or topic of a messenger service that gets each alarm once. */
export type Messenger = typeof messengerResource.$item;
/** Messenger in API form; an omitted secret keeps its value. */
export type MessengerInput = typeof messengerResource.$update;
