import { type DomainError, detail, inEnglish, toText } from "../../../lib/core/domain-error.ts";
import type { ErrorCode } from "../../../lib/texts/catalogues.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { EventOutcome } from "../events/integration-events.repository.ts";
import type { Stage } from "../integrations.types.ts";
import type { StageFailure } from "./message-parts.ts";

/** Max. bytes kept of a stored message, whose values are in the store. */
const PAYLOAD_KEPT_BYTES = 8 * 1024;
const RESULT_CHARACTERS_MAX = 8 * 1024;
const NOTES_CHARACTERS_MAX = 1_000;
const NAMED_MAX = 3;
const LISTED_MAX = 20;

/** Stored data of a part of a message. */
export interface StoredPart {
  readonly deviceId: string;
  readonly name: string;
  readonly isNew?: true;
  readonly ts?: number;
  readonly telemetry?: unknown;
  readonly attributes?: readonly string[];
}

/** Record of a message during its processing. */
export interface Work {
  readonly stored: StoredPart[];
  /** Console output of a script, and other notes. */
  readonly notes: (string | Text)[];
  readonly failures: StageFailure[];
  /** Promises that resolve when the stored data is on disk. */
  readonly commits: Promise<void>[];
  dropped: Stage | undefined;
}

export const newWork = (failures: readonly StageFailure[] = []): Work => ({
  stored: [],
  notes: [],
  failures: [...failures],
  commits: [],
  dropped: undefined,
});

function resultOf({ stored, notes }: Work): string {
  const listed = stored.slice(0, LISTED_MAX);
  const whole = JSON.stringify({ stored: listed, notes: notes.slice(0, LISTED_MAX) });
  if (whole.length <= RESULT_CHARACTERS_MAX) return whole;
  return JSON.stringify({
    stored: listed.map(({ deviceId, name, ts }) => ({ deviceId, name, ts })),
    cut: true,
  });
}

/** Returns the payload as stored, and whether it is complete. */
export function shortened(payload: Uint8Array): { payload: Uint8Array; isReplayable: boolean } {
  const isReplayable = payload.length <= PAYLOAD_KEPT_BYTES;
  return { payload: isReplayable ? payload : payload.subarray(0, PAYLOAD_KEPT_BYTES), isReplayable };
}

const dropCodes: Partial<Record<Stage, ErrorCode>> = {
  mapping: "integration_event.dropped_by_mapping",
  script: "integration_event.dropped_by_script",
};

/** Returns the first notes, limited to the room in an event. */
function notesShown(notes: Work["notes"]): (string | Text)[] {
  const shown: (string | Text)[] = [];
  let characters = 0;
  for (const note of notes) {
    if (note === "" || characters >= NOTES_CHARACTERS_MAX) continue;
    const fitting = typeof note === "string" ? note.slice(0, NOTES_CHARACTERS_MAX - characters) : note;
    shown.push(fitting);
    characters += (typeof fitting === "string" ? fitting : inEnglish(fitting)).length;
  }
  return shown;
}

/** Returns the devices whose values were stored, and the script's output. */
function storedText({ stored, notes }: Work): Text {
  const devices = [...new Set(stored.map(({ name }) => name))].slice(0, NAMED_MAX);
  const shown = notesShown(notes);
  if (shown.length === 0)
    return devices.length === 0
      ? detail("integration_event.nothing_stored")
      : detail("integration_event.stored", { devices });
  return devices.length === 0
    ? detail("integration_event.notes", { notes: shown })
    : detail("integration_event.stored_with_notes", { devices, notes: shown });
}

/** Returns the outcome of a message for its event; the event of a failed message keeps the whole payload. */
export function outcomeOf(
  work: Work,
  payload: Uint8Array,
): { outcome: EventOutcome; reason: DomainError | undefined } {
  const result = resultOf(work);
  const [failure] = work.failures;
  if (failure !== undefined) {
    const parts = work.stored.length + work.failures.length;
    const { stage, reason } = failure;
    const text =
      parts === 1
        ? toText(reason)
        : detail("integration_event.parts_failed", {
            reason: toText(reason),
            failed: work.failures.length,
            total: parts,
          });
    return { outcome: { status: "ERROR", stage, text, result, payload, isReplayable: true }, reason };
  }
  const kept = { result, ...shortened(payload) };
  if (work.stored.length === 0 && work.dropped !== undefined) {
    const code = dropCodes[work.dropped] ?? "integration_event.dropped";
    const text: Text = { code, params: {} };
    return { outcome: { status: "DROPPED", stage: work.dropped, text, ...kept }, reason: undefined };
  }
  const outcome = {
    status: "OK",
    stage: "ingest",
    text: storedText(work),
    ...kept,
  } as const;
  return { outcome, reason: undefined };
}
