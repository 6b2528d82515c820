import { conflict, invalid, notFound } from "../../lib/core/domain-error.ts";

export const noteNotFound = () => notFound("note.not_found");
export const notesLimit = (max: number) => conflict("note.too_many", { max });
export const deviceNotesLimit = (max: number) => conflict("note.too_many_on_device", { max });
export const noteTimeInvalid = (field: "at" | "until") => invalid("note.time_invalid", { field });
export const noteEndsEarly = () => invalid("note.ends_early");
