import { settingsInput } from "../../modules/backups/backups.schemas.ts";
import { mailSettingsInput } from "../../modules/mail/mail-settings.schemas.ts";
import { brandingBody } from "../../modules/tenants/tenants.schemas.ts";
import { type ApiClient, ApiError } from "../api-client.ts";
import type { Section } from "./section.types.ts";
import { type Fields, isFields } from "./site.types.ts";

const [BRANDING, MAIL, BACKUP] = ["/api/tenant/branding", "/api/gateway/mail", "/api/gateway/backup"];
const FORBIDDEN = 403;

/** Mark of a secret that the gateway keeps and does not show. */
const KEPT = { kept: true };

/** Settings of the gateway belong to the owner of its own site; the sites of others have none. */
const forOperators =
  (path: string) =>
  async (api: ApiClient): Promise<Fields[]> => {
    try {
      return [await api.get<Fields>(path)];
    } catch (error) {
      if (error instanceof ApiError && error.status === FORBIDDEN) return [];
      throw error;
    }
  };

/** Returns the fields without the marks of secrets: the API keeps what is left out. */
function withoutMarks(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(
    ([, value]) => !(isFields(value) && Object.hasOwn(value, "kept")),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isFields(value) ? withoutMarks(value) : value]),
  );
}

/** Renames what the API says about a secret to the secret itself. */
function withMark(object: Fields, { flag, name }: { flag: string; name: string }): Fields {
  const { [flag]: isKept, ...rest } = object;
  return isKept === true ? { ...rest, [name]: KEPT } : rest;
}

/** Names of the fields that keys of the configuration set: a file cannot change them. */
const FIXED: Readonly<Record<string, string>> = {
  smtp_url: "server",
  smtp_from: "from",
  backup_to: "place",
  backup_schedule: "schedule",
  backup_passphrase: "passphrase",
};

const withoutFixed = (fields: Fields, fixed: unknown): Fields => {
  const names = Array.isArray(fixed) ? fixed.map((key) => FIXED[String(key)]) : [];
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
};

function backupFields({ isEncrypted, fixed, ...settings }: Fields): Fields {
  if (settings.place === null) return {};
  const place = isFields(settings.place)
    ? withMark(settings.place, { flag: "hasSecretAccessKey", name: "secretAccessKey" })
    : settings.place;
  return withoutFixed({ ...settings, place, ...(isEncrypted === true && { passphrase: KEPT }) }, fixed);
}

/** The API takes these settings as a whole. */
async function updateBackup(api: ApiClient, { changes }: { changes: Fields }): Promise<void> {
  const current = await api.get<Fields>(BACKUP);
  const kept = Object.keys(settingsInput.properties)
    .filter((name) => current[name] !== undefined)
    .map((name) => [name, current[name]]);
  const { hasSecretAccessKey: _, ...place } = isFields(current.place)
    ? current.place
    : { hasSecretAccessKey: false };
  await api.put(BACKUP, {
    ...Object.fromEntries(kept),
    ...(current.place !== null && { place }),
    ...withoutMarks(changes),
  });
}

/** Settings of the site's look, and of the gateway itself. */
export const gatewaySections: readonly Section[] = [
  {
    name: "branding",
    id: "",
    path: BRANDING,
    schema: brandingBody,
    prunes: false,
    list: async (api) => [(await api.get<{ branding: Fields }>(BRANDING)).branding],
    update: (api, { current, changes }) => api.put(BRANDING, { ...current, ...changes }),
  },
  {
    name: "mail",
    id: "",
    path: MAIL,
    schema: mailSettingsInput,
    prunes: false,
    list: forOperators(MAIL),
    toFields: ({ server, from, fixed }) =>
      withoutFixed(
        {
          server: isFields(server) ? withMark(server, { flag: "hasPassword", name: "password" }) : null,
          from,
        },
        fixed,
      ),
    update: (api, { changes }) => api.put(MAIL, withoutMarks(changes)),
  },
  {
    name: "backup",
    id: "",
    path: BACKUP,
    schema: settingsInput,
    prunes: false,
    list: forOperators(BACKUP),
    toFields: backupFields,
    update: updateBackup,
  },
];
