import { MINUTE_MS } from "../../../lib/core/units.ts";
import { parseEditorText } from "../../lib/attribute-value.ts";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { useResource } from "../../platform/resource.ts";
import { Field } from "../../ui/form/field.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import type { BulkAction } from "./bulk-actions.ts";
import { type BulkResponse, deviceBulkApi } from "./device-bulk-api.ts";

type Send = (ids: readonly string[]) => Promise<BulkResponse>;

const LENGTHS = [
  ["hour1", 60],
  ["minutes30", 30],
  ["hours4", 240],
  ["day1", 1440],
  ["days7", 10_080],
] as const;
const END = "end";

const tagsIn = (text: string): string[] => [...new Set(text.split(",").flatMap((tag) => tag.trim() || []))];

/** Returns the request of a filled form, or the text key of its mistake. */
const requests: Record<
  BulkAction,
  (text: (name: string) => string) => Send | "bulk.tagsMissing" | "attributes.notJson"
> = {
  tags(text) {
    const [addTags, removeTags] = [tagsIn(text("add")), tagsIn(text("remove"))];
    if (addTags.length + removeTags.length === 0) return "bulk.tagsMissing";
    const changes = { ...(addTags.length > 0 && { addTags }), ...(removeTags.length > 0 && { removeTags }) };
    return (ids) => deviceBulkApi.update(ids, changes);
  },
  profile: (text) => (ids) => deviceBulkApi.update(ids, { profileId: text("profileId") }),
  gateway: (text) => (ids) => deviceBulkApi.update(ids, { parentDeviceId: text("gateway") || null }),
  asset: (text) => (ids) => deviceBulkApi.update(ids, { assetId: text("asset") || null }),
  command(text) {
    const params = text("params") === "" ? {} : parseEditorText(text("params"), "json");
    if (params === undefined) return "attributes.notJson";
    return (ids) => deviceBulkApi.command(ids, { method: text("method"), params });
  },
  maintenance(text) {
    const minutes = LENGTHS.find(([name]) => name === text("length"))?.[1];
    if (minutes === undefined) return deviceBulkApi.endMaintenance;
    const until = new Date(serverNow() + minutes * MINUTE_MS).toISOString();
    return (ids) => deviceBulkApi.beginMaintenance(ids, { until, reason: text("reason") });
  },
  delete: () => deviceBulkApi.delete,
};

export function requestOf(action: BulkAction, form: FormData) {
  return requests[action]((name) => String(form.get(name) ?? "").trim());
}

/** Form fields of a bulk action. `mistake` is the form's current error. */
export function BulkFields({ action, mistake }: { action: BulkAction; mistake: string | undefined }) {
  switch (action) {
    case "tags":
      return <TagFields mistake={mistake} />;
    case "profile":
      return <ProfileField />;
    case "gateway":
      return <GatewayField />;
    case "asset":
      return <AssetField />;
    case "command":
      return <CommandFields mistake={mistake} />;
    case "maintenance":
      return <MaintenanceFields />;
    default:
      return null;
  }
}

const TagFields = ({ mistake }: { mistake: string | undefined }) => (
  <>
    <TextField label={t("bulk.addTags")} hint={t("bulk.tagsHint")} error={mistake} name="add" autofocus />
    <TextField label={t("bulk.removeTags")} name="remove" />
  </>
);

function ProfileField() {
  const profiles = useResource(deviceBulkApi.profiles, []);
  return (
    <Loaded of={profiles}>
      {(all) => (
        <SelectField
          label={t("alarms.profile")}
          name="profileId"
          required
          options={all.map(({ profileId, name }) => [profileId, name] as const)}
        />
      )}
    </Loaded>
  );
}

function GatewayField() {
  const gateways = useResource(deviceBulkApi.gateways, []);
  return (
    <Loaded of={gateways}>
      {(all) => (
        <SelectField
          label={t("common.gateway")}
          hint={t("bulk.gatewayHint")}
          name="gateway"
          options={all.map(({ deviceId, name }) => [deviceId, name] as const)}
          none={t("bulk.noGateway")}
        />
      )}
    </Loaded>
  );
}

function AssetField() {
  const assets = useResource(deviceBulkApi.assets, []);
  return (
    <>
      <TextField
        label={t("common.asset")}
        hint={t("bulk.assetHint")}
        name="asset"
        maxLength={maxLengthOf("devices/bulk/bulk.schemas.ts", "bulkUpdateBody", "assetId")}
        list="bulk-assets"
        autofocus
      />
      <datalist id="bulk-assets">
        {assets.data?.map(({ assetId }) => (
          <option key={assetId} value={assetId} />
        ))}
      </datalist>
    </>
  );
}

const CommandFields = ({ mistake }: { mistake: string | undefined }) => (
  <>
    <TextField
      label={t("common.method")}
      hint={t("fieldHint.newCommand.method")}
      name="method"
      required
      maxLength={maxLengthOf("commands/commands.schemas.ts", "bulkCommandBody", "method")}
      autocapitalize="off"
      autofocus
      class="input reading w-full"
    />
    <Field label={t("common.params")} error={mistake}>
      <textarea class="textarea reading w-full" name="params" rows={4} spellcheck={false}>
        {"{}"}
      </textarea>
    </Field>
  </>
);

const MaintenanceFields = () => (
  <>
    <p class="text-sm text-soft">{t("maintenance.intro")}</p>
    <SelectField
      label={t("maintenance.length")}
      name="length"
      options={[
        ...LENGTHS.map(([name]) => [name, t(`maintenance.${name}`)] as const),
        [END, t("bulk.endMaintenance")],
      ]}
    />
    <TextField
      label={t("maintenance.reason")}
      hint={t("maintenance.reasonHint")}
      name="reason"
      maxLength={maxLengthOf("maintenance/maintenance.schemas.ts", "bulkBeginBody", "reason")}
    />
  </>
);
