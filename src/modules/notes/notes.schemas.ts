import { t } from "elysia";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { timeRangeQuery } from "../api/lists.schemas.ts";
import { isoTime, isoTimeOrNull } from "../api/wire.schemas.ts";

const TEXT_MAX = 2_000;

const text = t.String({
  minLength: 1,
  maxLength: TEXT_MAX,
  pattern: TEXT_FORMS.visible,
  description: `1 to ${TEXT_MAX} characters`,
});
const timeText = t.String({ maxLength: 40, description: "ISO 8601, with its offset or Z" });
const until = t.Optional(
  t.Union([t.String({ maxLength: 40 }), t.Null()], {
    description: "end of a stretch of time, not before `at`; null, the default, for a moment",
  }),
);

export const createNoteBody = t.Object(
  { deviceId: t.String({ minLength: 1, maxLength: 64 }), text, at: timeText, until },
  { title: "CreateNote" },
);
export const updateNoteBody = t.Object(
  { text: t.Optional(text), at: t.Optional(timeText), until },
  { title: "UpdateNote" },
);

export const noteBody = t.Object(
  {
    noteId: t.String(),
    deviceId: t.String(),
    text: t.String(),
    at: isoTime,
    until: isoTimeOrNull,
    by: t.String({ description: "email address of the author, or name of the API key" }),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "Note" },
);

export const noteFilters = {
  deviceId: t.Optional(t.String({ maxLength: 64, description: "all devices by default" })),
  ...timeRangeQuery({ from: "notes that end at or after this time", to: "notes that begin at or before it" }),
};
