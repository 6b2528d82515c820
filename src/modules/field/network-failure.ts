import { DomainError } from "../../lib/core/domain-error.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import type { FieldFailure } from "./field.protocol.ts";

/** Returns the meaning of an error outside the protocol: a network error, an error of the gateway, or a timeout. */
export const networkFailure = (error: unknown): FieldFailure => ({
  text: networkErrorText(error),
  isSilence: error instanceof DomainError && error.kind === "timed_out",
});
