import { formBody, pageResponses } from "../../api/documented-responses.ts";

const signInForm = formBody("email", "password");
export const signInBody = {
  ...signInForm,
  content: {
    ...signInForm.content,
    "application/json": {
      schema: {
        type: "object" as const,
        required: ["email", "password"],
        properties: Object.fromEntries(
          ["email", "password", "otp", "newPassword", "redirectUri", "codeChallenge", "state"].map(
            (field) => [field, { type: "string" as const }],
          ),
        ),
      },
      example: { email: "ann@plant.example", password: "correct horse battery staple" },
    },
  },
};

/** Responses: the next page for the form, the code for a script. */
export const signInResponses = {
  ...pageResponses(303, 400, 401, 403, 429),
  200: {
    description: "The code and the redirect address for a script; the next page for the form.",
    content: {
      "application/json": {
        schema: {
          type: "object" as const,
          required: ["code", "redirectTo"],
          properties: { code: { type: "string" as const }, redirectTo: { type: "string" as const } },
        },
      },
      "text/html": { schema: { type: "string" as const } },
    },
  },
};
