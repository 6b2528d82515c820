import { DomainError, type ErrorKind } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

/**
 * Reaction to an undelivered batch. `retry`: send it again later. `refused`: the target permanently refuses this batch. `settings`: nothing arrives
 * until a user changes the settings of the uplink or the target.
 */
export type Reaction = "retry" | "refused" | "settings";

const kinds: Readonly<Record<Reaction, ErrorKind>> = {
  retry: "unavailable",
  refused: "invalid",
  settings: "invalid",
};

/** Error of a batch that a target did not accept. */
export class TargetError extends DomainError {
  readonly reaction: Reaction;

  constructor(reaction: Reaction, text: Text, cause?: unknown) {
    super(kinds[reaction], text, { cause });
    this.name = "TargetError";
    this.reaction = reaction;
  }
}
