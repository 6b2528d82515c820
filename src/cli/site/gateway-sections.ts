import { settingsInput } from "../../modules/backups/backups.schemas.ts";
import { mailSettingsInput } from "../../modules/mail/mail-settings.schemas.ts";
import { brandingBody } from "../../modules/tenants/tenants.schemas.ts";
import { type ApiClient, ApiError } from "../api-client.ts";
import type { Section } from "./section.types.ts";
import { type Fields, isFields } from "./site.types.ts";

const [BRANDING, MAIL, BACKUP] = ["/api/tenant/branding", "/api/gateway/mail", "/api/gateway/backup"];
const FORBIDDEN = 403;

/** Stands for a secret that the gateway keeps but does not show. */
const KEPT = { kept: true };

/** Returns `undefined` for sites other than the gateway's own: they have no gateway settings. */
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

/** Returns the fields without secret marks: the API keeps fields that are left out. */
function withoutMarks(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(
    ([, value]) => !(isFields(value) && Object.hasOwn(value, "kept")),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isFields(value) ? withoutMarks(value) : value]),
  );
}

/** Replaces the API's flag for a secret by a field with the secret's mark. */
function withMark(object: Fields, { flag, name }: { flag: string; name: string }): Fields {
  const { [flag]: isKept, ...rest } = object;
  return isKept === true ? { ...rest, [name]: KEPT } : rest;
}

/** Fields that the configuration sets, so that a site file cannot change them. */
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

/** Branding, mail server and backups. */
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
