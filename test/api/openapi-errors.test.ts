import { expect, test } from "bun:test";
import { splitErrors } from "../../src/http/openapi/error-responses.ts";

test.each([
  ["Deletes all keys. 400 if `keys` is empty.", "Deletes all keys.", { 400: "If `keys` is empty." }],
  [
    "403 without access to all devices; 409 when the name is taken.",
    "",
    { 403: "Without access to all devices.", 409: "When the name is taken." },
  ],
  [
    "400 without one, 409 for another, and 429 after ten, or more.",
    "",
    { 400: "Without one.", 409: "For another.", 429: "After ten, or more." },
  ],
  ["404, as a page, for a used link.", "", { 404: "As a page, for a used link." }],
  ["Waits; 408 if none arrives. The rest.", "Waits. The rest.", { 408: "If none arrives." }],
  ["303 to the provider; 404 if there is none.", "303 to the provider.", { 404: "If there is none." }],
  ["At most 404 of them. 401 without a token.", "At most 404 of them.", { 401: "Without a token." }],
  ["Streams all. 403: requires an owner.", "Streams all.", { 403: "Requires an owner." }],
])("%s", (description, rest, errors) => {
  expect(splitErrors(description, {})).toEqual({ description: rest, errors });
});

test("what a route describes in its own words stays in the description", () => {
  const description = "409 when the name is taken.";
  expect(splitErrors(description, { 409: {} })).toEqual({ description, errors: {} });
});
