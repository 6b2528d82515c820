import type { DomainError } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

/** Errors thrown by the common base, with texts that name the protocol. */
export interface FieldErrors {
  unitNotFound(): DomainError;
  deviceTaken(): DomainError;
  tooManyUnits(max: number): DomainError;
  tooManyEntries(max: number): DomainError;
  needsAllDevices(): DomainError;
  notConnected(): DomainError;
  keyUnknown(key: string): DomainError;
  keyNotWritable(key: string): DomainError;
  csvUnreadable(reason: string): DomainError;
  disconnected(reason: Text): Text;
  readFailed(reason: Text): Text;
  /** Problem of a column in a map. */
  mapColumn(column: string): Text;
  keyTwice(): Text;
  mapEntries(max: number): Text;
}
