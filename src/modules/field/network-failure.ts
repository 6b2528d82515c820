import { DomainError } from "../../lib/core/domain-error.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import type { FieldFailure } from "./field.protocol.ts";

/** Returns the meaning of an error that is not of the protocol: of the network, of the gateway, or no answer in time. */
export const networkFailure = (error: unknown): FieldFailure => ({
  text: networkErrorText(error),
  isSilence: error instanceof DomainError && error.kind === "timed_out",
});
