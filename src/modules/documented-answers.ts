/** Parts of the OpenAPI document for what is more than one schema: files, pages, redirects and forms. */

const text = { schema: { type: "string" as const } };

/** A file or stream of one of the media types. */
export const fileAnswer = (description: string, ...types: readonly string[]) => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, text])),
});

export const redirect = (description: string) => ({ description });

/** JSON whose shape is described in words: an object of names to values. */
export const objectAnswer = (description: string) => ({
  description,
  content: { "application/json": { schema: { type: "object" as const } } },
});

const page = (description: string) => ({
  description,
  content: { "text/html": text, "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

/** A page of the hosted sign-in, and what it says when something is wrong: as a page, or as JSON to scripts. */
export const pageAnswers = (...statuses: readonly number[]) =>
  Object.fromEntries([
    [200, fileAnswer("The next page.", "text/html")],
    ...statuses.map((status) => [
      status,
      status === 303
        ? redirect("To the next step of the sign-in, or back to the client with the code.")
        : page("The page with the error, or the error as JSON for a script."),
    ]),
  ]);

/** A form of the hosted sign-in, with the fields that it sends. */
export const formBody = (...fields: readonly string[]) => ({
  required: true,
  content: {
    "application/x-www-form-urlencoded": {
      schema: {
        type: "object" as const,
        properties: Object.fromEntries(fields.map((field) => [field, { type: "string" as const }])),
      },
    },
  },
});
