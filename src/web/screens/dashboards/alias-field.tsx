import { useState } from "preact/hooks";
import { DevicePicker } from "../../components/device-picker.tsx";
import { Field } from "../../components/parts.tsx";
import { t } from "../../i18n/i18n.ts";
import { newId } from "../../lib/board.ts";
import { api } from "../../state/api.ts";
import type { Alias } from "../../state/dashboards-api.ts";
import { nameOf } from "../../state/device-names.ts";
import { useResource } from "../../state/resource.ts";

const KINDS = ["deviceType", "deviceList", "deviceGroup", "asset", "gatewayChildren", "stateEntity"] as const;
type Kind = (typeof KINDS)[number];
const NEW = "+";

interface Props {
  readonly aliases: readonly Alias[];
  readonly aliasId: string | undefined;
  /** Of no alias: of all devices. */
  readonly isOptional: boolean;
  readonly onChange: (aliases: readonly Alias[], chosen: string | undefined) => void;
}

const parameterOf: Partial<Record<Kind, string>> = {
  deviceType: "deviceType",
  deviceGroup: "tag",
  asset: "assetId",
  gatewayChildren: "gatewayId",
};

/** Which devices: those of an alias that there is, or of a new one. */
export function AliasField({ aliases, aliasId, isOptional, onChange }: Props) {
  const [isNew, setNew] = useState(aliases.length === 0 && !isOptional);
  return (
    <fieldset class="flex flex-col gap-3">
      <Field label={t("alias.label")} hint={t("alias.hint")}>
        <select
          class="select w-full"
          value={isNew ? NEW : (aliasId ?? "")}
          required={!isOptional}
          onChange={(e) => {
            const chosen = e.currentTarget.value;
            setNew(chosen === NEW);
            if (chosen !== NEW) onChange(aliases, chosen === "" ? undefined : chosen);
          }}
        >
          {(isOptional || (aliasId === undefined && !isNew)) && (
            <option value="">{t(isOptional ? "alias.all" : "alias.choose")}</option>
          )}
          {aliases.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          <option value={NEW}>{t("alias.new")}</option>
        </select>
      </Field>
      {isNew && (
        <NewAlias
          taken={aliases.map(({ id }) => id)}
          onMade={(alias) => {
            setNew(false);
            onChange([...aliases, alias], alias.id);
          }}
        />
      )}
    </fieldset>
  );
}

function NewAlias({ taken, onMade }: { taken: readonly string[]; onMade: (alias: Alias) => void }) {
  const types = useResource(api.deviceTypes, []);
  const [kind, setKind] = useState<Kind>("deviceType");
  const [value, setValue] = useState("");
  const [deviceIds, setDeviceIds] = useState<readonly string[]>([]);
  const parameter = parameterOf[kind];
  const chosen = kind === "deviceType" ? value || (types.data?.[0]?.deviceType ?? "") : value.trim();
  const isPicked = kind === "deviceList" || kind === "gatewayChildren";
  const isReady = kind === "stateEntity" || (isPicked ? deviceIds.length > 0 : chosen !== "");
  const make = () => {
    const id = newId("alias", taken);
    const [first = ""] = deviceIds;
    if (kind === "stateEntity") return onMade({ id, name: t("alias.stateEntity"), type: kind });
    if (kind === "gatewayChildren")
      return onMade({
        id,
        name: t("alias.childrenOf", { name: nameOf(first) }),
        type: kind,
        gatewayId: first,
      });
    if (kind === "deviceList") {
      const name =
        deviceIds.length === 1 ? nameOf(first) : t("alias.someDevices", { count: deviceIds.length });
      return onMade(
        deviceIds.length === 1
          ? { id, name, type: "singleDevice", deviceId: first }
          : { id, name, type: kind, deviceIds: [...deviceIds] },
      );
    }
    if (parameter !== undefined) onMade({ id, name: chosen, type: kind, [parameter]: chosen });
  };
  return (
    <div class="flex flex-col gap-3 border-l-2 border-base-300 pl-4">
      <select
        class="select w-full"
        aria-label={t("alias.kind")}
        value={kind}
        onChange={(e) => setKind(KINDS.find((one) => one === e.currentTarget.value) ?? "deviceType")}
      >
        {KINDS.map((one) => (
          <option key={one} value={one}>
            {t(`alias.${one}`)}
          </option>
        ))}
      </select>
      {kind === "deviceType" && (
        <select
          class="select w-full"
          aria-label={t("alias.deviceType")}
          value={chosen}
          onChange={(e) => setValue(e.currentTarget.value)}
        >
          {(types.data ?? []).map(({ deviceType, count }) => (
            <option key={deviceType} value={deviceType}>
              {t("dashboards.typeOption", { type: deviceType, count })}
            </option>
          ))}
        </select>
      )}
      {(kind === "deviceGroup" || kind === "asset") && (
        <input
          class="input w-full"
          aria-label={t(`alias.${kind}`)}
          maxLength={256}
          value={value}
          onInput={(e) => setValue(e.currentTarget.value)}
        />
      )}
      {isPicked && <DevicePicker chosen={deviceIds} onChange={setDeviceIds} />}
      <button type="button" class="btn btn-sm self-start" disabled={!isReady} onClick={make}>
        {t("alias.make")}
      </button>
    </div>
  );
}
