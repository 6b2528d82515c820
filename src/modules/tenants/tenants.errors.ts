import { DomainError, forbidden } from "../../lib/domain-error.ts";

export const devicesLimit = (limit: number) =>
  forbidden("plan.devices_limit", `The plan of this tenant allows ${limit} devices.`);
export const messagesLimit = (limit: number, waitMs: number) =>
  new DomainError(
    "limited",
    "plan.messages_limit",
    `The plan of this tenant allows ${limit} messages a second, of all devices together.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
  );
