import { DomainError, type ErrorKind } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

/**
 * Reaction to a batch that did not arrive. `retry`: the same again, later. `refused`: the target refuses this batch and would
 * refuse it again. `settings`: nothing arrives until a person changes the settings of the uplink or of the target.
 */
export type Reaction = "retry" | "refused" | "settings";

const kinds: Readonly<Record<Reaction, ErrorKind>> = {
  retry: "unavailable",
  refused: "invalid",
  settings: "invalid",
};

/** A target did not take a batch. */
export class TargetError extends DomainError {
  readonly reaction: Reaction;

  constructor(reaction: Reaction, text: Text, cause?: unknown) {
    super(kinds[reaction], text, { cause });
    this.name = "TargetError";
    this.reaction = reaction;
  }
}
