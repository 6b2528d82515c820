import { t } from "elysia";
import { choice, isoTime, jsonObject, jsonValue, wholeNumber } from "../api/wire.schemas.ts";
import { ATTRIBUTE_SCOPES } from "./attributes.types.ts";

/** Scope; the service refuses unknown scopes with a message that lists the valid ones. */
export const scopeBody = t.String({ enum: [...ATTRIBUTE_SCOPES] });
const scope = choice(ATTRIBUTE_SCOPES);

export const attributeBody = t.Object(
  {
    key: t.String(),
    value: jsonValue(),
    scope,
    updatedAt: isoTime,
  },
  { title: "DeviceAttribute" },
);
export const attributeChangeBody = t.Object(
  {
    changeId: wholeNumber(),
    scope,
    key: t.String(),
    value: t.Optional(jsonValue("left out where the attribute was deleted")),
    at: isoTime,
    source: t.Union([t.Literal("USER"), t.Literal("DEVICE"), t.Literal("SYSTEM")]),
    by: t.Union([t.String(), t.Null()], { description: "email address, or name of the key or program" }),
  },
  { title: "AttributeChange" },
);
export const desiredBody = t.Object(
  {
    key: t.String(),
    desired: jsonValue(),
    desiredAt: isoTime,
    reported: t.Optional(jsonValue()),
    reportedAt: t.Optional(isoTime),
    state: t.Union([t.Literal("IN_SYNC"), t.Literal("DIFFERENT"), t.Literal("NOT_REPORTED")]),
  },
  { title: "DesiredAttribute" },
);
export const setBody = t.Object(
  {
    scope: scopeBody,
    // Not a Record: its check would turn an array into an object of indices.
    attributes: jsonObject("names to values"),
  },
  { title: "SetAttributes" },
);
