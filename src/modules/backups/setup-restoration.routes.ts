import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { readBytes } from "../../lib/network/request-bytes.ts";
import type { WithLink } from "../api/report-refusal.ts";
import { link, restorationBody, restoreBody } from "./setup-restoration.schemas.ts";
import type { RestorationStatus, SetupRestoration } from "./setup-restoration.ts";

const PART_BYTES_MAX = 1024 * 1024;
const FILE_BYTES_MAX = 2 ** 40;

const toWire = ({ error, ...status }: RestorationStatus) => ({
  ...status,
  ...(error && { error: { ...error, message: inEnglish(error) } }),
});

const partRequest = {
  required: true,
  content: { "application/octet-stream": { schema: { type: "string" as const, format: "binary" } } },
};

/** Creates the routes that restore a backup on a gateway without an owner, authorized by the setup link. */
export const setupRestorationRoutes = ({
  restoration,
  withLink,
}: {
  restoration: SetupRestoration;
  withLink: WithLink;
}) =>
  new Elysia({ prefix: "/api/setup/restore", tags: ["setup"] })
    .get(
      "",
      ({ query }) => {
        restoration.authorize(query.token);
        return toWire(restoration.status());
      },
      {
        query: t.Object({ token: link }),
        response: { 200: restorationBody },
        detail: {
          operationId: "getSetupRestoration",
          summary: "Get the state of a restoration on a new gateway",
          description: "A restored gateway has an owner, so the link is not valid any more.",
          errors: { 404: "The setup link is not valid." },
        },
      },
    )
    .put(
      "/archive",
      async (context) => {
        const { query, request } = context;
        await withLink(context, query.token, () => restoration.authorize(query.token));
        await restoration.append(query, await readBytes(request, PART_BYTES_MAX));
        return toWire(restoration.status());
      },
      {
        parse: "none",
        query: t.Object({
          token: link,
          offset: t.Integer({ minimum: 0, maximum: FILE_BYTES_MAX, description: "position of the part" }),
          total: t.Integer({
            minimum: 1,
            maximum: FILE_BYTES_MAX,
            description: "number of bytes of the whole file",
          }),
        }),
        response: { 200: restorationBody },
        detail: {
          operationId: "uploadSetupArchive",
          summary: "Upload a part of a backup archive",
          description: "At most 1 MiB, in order. A part at offset 0 begins a new upload.",
          errors: {
            404: "The setup link is not valid.",
            409: "`offset` is not the number of bytes that have arrived, the disk has no room for the file, or a backup is being restored.",
            413: "The part is larger than 1 MiB.",
          },
          requestBody: partRequest,
        },
      },
    )
    .post(
      "",
      async (context) => {
        const { body, set } = context;
        await withLink(context, body.token, () => restoration.begin(body.token, body.passphrase));
        set.status = 202;
        return toWire(restoration.status());
      },
      {
        body: restoreBody,
        response: { 202: restorationBody },
        detail: {
          operationId: "restoreSetupArchive",
          summary: "Restore the uploaded archive",
          description:
            "Reads and checks it in the background; the gateway then restarts with the restored data. Until then nothing is replaced, and no owner can be created.",
          errors: { 404: "The setup link is not valid.", 409: "The file is not uploaded completely." },
          example: {
            token: "dGhlIHNlY3JldCBvZiB0aGUgbGluaw",
            passphrase: "correct horse battery staple",
          },
        },
      },
    );
