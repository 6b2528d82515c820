/** Parts of the OpenAPI document that one schema cannot describe: files, pages, redirects and forms. */

const text = { schema: { type: "string" as const } };

/** Describes a file or stream of one of the media types. */
export const fileResponse = (description: string, ...types: readonly string[]) => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, text])),
});

export const redirect = (description: string) => ({ description });

/** Describes JSON in words: an object of names to values. */
export const objectResponse = (description: string) => ({
  description,
  content: { "application/json": { schema: { type: "object" as const } } },
});

const page = (description: string) => ({
  description,
  content: { "text/html": text, "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

/** Describes a page of the hosted sign-in and its errors: HTML, or JSON for scripts. */
export const pageResponses = (...statuses: readonly number[]) =>
  Object.fromEntries([
    [200, fileResponse("The next page.", "text/html")],
    ...statuses.map((status) => [
      status,
      status === 303
        ? redirect("To the next step of the sign-in, or back to the client with the code.")
        : page("The page with the error, or the error as JSON for a script."),
    ]),
  ]);

/** Describes a form of the hosted sign-in, with its fields. */
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
