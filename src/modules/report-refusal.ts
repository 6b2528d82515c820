import type { EventBus } from "../platform/event-bus.ts";
import type { DomainEvents } from "./events.types.ts";
import type { ReportRefusal } from "./refusals/refusals.types.ts";

/** Returns the function with which an edge reports refused credentials. */
export const refusalReporter =
  (events: Pick<EventBus<DomainEvents>, "emit">): ReportRefusal =>
  (refusal) =>
    events.emit("credential.refused", refusal);
