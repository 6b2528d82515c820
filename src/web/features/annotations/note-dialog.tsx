import { useState } from "preact/hooks";
import { changedFields } from "../../lib/changed-fields.ts";
import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import { ownZone, toZonedText } from "../../lib/zoned-time.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import { SchemaDialog } from "../../ui/form/schema-form.tsx";
import { type Note, notesApi } from "./notes-api.ts";

const input = { type: "datetime-local" };

export const noteForm: FormDefinition = {
  schema: formSchema("notes/notes.schemas.ts", "createNoteBody", ["text", "at", "until"]),
  texts: ["note"],
  fields: [
    { path: "text", rows: 4 },
    [
      { path: "at", input },
      { path: "until", input },
    ],
  ],
};

const localText = (ts: number | undefined): string => (ts === undefined ? "" : toZonedText(ts, ownZone()));

/** Returns the body of a request. Times are in the time zone of the browser. */
const toBody = (values: FormValues): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name !== "text" && typeof value === "string" ? new Date(value).toISOString() : value,
    ]),
  );

/** Creates a note at the time `at` (epoch ms), or changes one. */
export function NoteDialog(props: {
  deviceId: string;
  at: number;
  note?: Note | undefined;
  onClose: () => void;
  onSaved?: () => void;
}) {
  const { deviceId, note, onClose } = props;
  // The values that the form began with: the note may change while the dialog is open.
  const [initial] = useState({
    text: note?.text ?? "",
    at: localText(toMs(note?.at) ?? props.at),
    until: localText(toMs(note?.until)),
  });
  return (
    <SchemaDialog
      title={t(note ? "note.edit" : "note.write")}
      form={noteForm}
      initial={initial}
      onSave={async (values) => {
        if (note) await notesApi.update(note.noteId, toBody(changedFields(values, initial)));
        else await notesApi.create({ deviceId, ...toBody(values) });
        props.onSaved?.();
        onClose();
      }}
      onClose={onClose}
    />
  );
}
