import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../../platform/i18n/i18n.ts";
import { useResource } from "../../../platform/resource.ts";
import { SelectField } from "../../../ui/form/select-field.tsx";
import { nameOf } from "../../devices/device-names.ts";
import { DevicePicker } from "../../devices/device-picker.tsx";
import { devicesApi } from "../../devices/devices-api.ts";
import { newId } from "../board/board.ts";
import type { Alias } from "../dashboards-api.ts";

const KINDS = ["deviceType", "deviceList", "deviceGroup", "asset", "gatewayChildren", "stateEntity"] as const;
type Kind = (typeof KINDS)[number];
const NEW = "+";

interface Props {
  readonly aliases: readonly Alias[];
  readonly aliasId: string | undefined;
  /** True if no alias, for all devices, can be selected. */
  readonly isOptional: boolean;
  readonly onChange: (aliases: readonly Alias[], selected: string | undefined) => void;
}

const parameterOf: Partial<Record<Kind, string>> = {
  deviceType: "deviceType",
  deviceGroup: "tag",
  asset: "assetId",
  gatewayChildren: "gatewayId",
};

/** Selection of devices: an existing alias or a new one. */
export function AliasField({ aliases, aliasId, isOptional, onChange }: Props) {
  const [isNew, setNew] = useState(aliases.length === 0 && !isOptional);
  /** Aliases before a new one, which is last, was selected. */
  const existingAliases = useRef(aliases).current;
  return (
    <fieldset class="flex flex-col gap-3">
      <SelectField
        label={t("alias.label")}
        hint={t("alias.hint")}
        value={isNew ? NEW : (aliasId ?? "")}
        required={!isOptional}
        none={
          isOptional || (aliasId === undefined && !isNew)
            ? t(isOptional ? "alias.all" : "alias.select")
            : undefined
        }
        options={[...existingAliases.map(({ id, name }) => [id, name] as const), [NEW, t("alias.new")]]}
        onSelect={(id) => {
          setNew(id === NEW);
          if (id !== NEW) onChange(existingAliases, id);
        }}
        onNone={() => {
          setNew(false);
          onChange(existingAliases, undefined);
        }}
      />
      {isNew && (
        <AliasForm
          isAtOnce
          taken={existingAliases.map(({ id }) => id)}
          onNothing={() => onChange(existingAliases, undefined)}
          onCreated={(alias) => onChange([...existingAliases, alias], alias.id)}
        />
      )}
    </fieldset>
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Selected kind of alias and its devices. */
interface Choice {
  readonly kind: Kind;
  readonly value: string;
  readonly deviceIds: readonly string[];
}

function choiceOf(alias: Alias | undefined): Choice {
  if (alias === undefined) return { kind: "deviceType", value: "", deviceIds: [] };
  const kind = KINDS.find((candidate) => candidate === alias.type) ?? "deviceList";
  const ids = kind === "gatewayChildren" ? alias.gatewayId : (alias.deviceIds ?? alias.deviceId);
  const parameter = parameterOf[kind];
  return {
    kind,
    value: parameter === undefined ? "" : text(alias[parameter]),
    deviceIds: [ids ?? []].flat().filter((item) => typeof item === "string"),
  };
}

/** Returns the alias of a selection, named after its devices. */
function aliasOf(id: string, { kind, value, deviceIds }: Choice): Alias {
  const [first = ""] = deviceIds;
  const parameter = parameterOf[kind];
  if (kind === "stateEntity") return { id, name: t("alias.stateEntity"), type: kind };
  if (kind === "gatewayChildren")
    return { id, name: t("alias.childrenOf", { name: nameOf(first) }), type: kind, gatewayId: first };
  if (parameter !== undefined) return { id, name: value, type: kind, [parameter]: value };
  return deviceIds.length === 1
    ? { id, name: nameOf(first), type: "singleDevice", deviceId: first }
    : {
        id,
        name: t("alias.someDevices", { count: deviceIds.length }),
        type: kind,
        deviceIds: [...deviceIds],
      };
}

/** Returns the name of a device type in the form of titles: automatic dashboards call `energy-meter` "Energy meter". */
const inWords = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]+/g, " ");

const hasOwnName = (alias: Alias): boolean =>
  inWords(alias.name) !== inWords(aliasOf(alias.id, choiceOf(alias)).name);

/** Form for the devices of a new alias, or of the changed alias `before`, which keeps its name. */
export function AliasForm(props: {
  taken: readonly string[];
  before?: Alias;
  /** True to report each selection immediately, without a button. */
  isAtOnce?: boolean;
  /** Called when the selection becomes empty. */
  onNothing?: () => void;
  onCreated: (alias: Alias) => void;
}) {
  const { taken, before, isAtOnce = false, onCreated } = props;
  const id = useRef(before?.id ?? newId("alias", taken)).current;
  const types = useResource(devicesApi.types, []);
  const [choice, setChoice] = useState(() => choiceOf(before));
  const { kind, deviceIds } = choice;
  const value = kind === "deviceType" ? choice.value || (types.data?.[0]?.deviceType ?? "") : choice.value;
  const selected = value.trim();
  const isPicked = kind === "deviceList" || kind === "gatewayChildren";
  const isReady = kind === "stateEntity" || (isPicked ? deviceIds.length > 0 : selected !== "");
  const set = (changes: Partial<Choice>) => setChoice({ ...choice, ...changes });
  const create = () => {
    const alias = aliasOf(id, { ...choice, value: selected });
    const isNamed = before !== undefined && hasOwnName(before);
    onCreated(isNamed ? { ...alias, name: before.name } : alias);
  };
  useEffect(() => {
    if (!isAtOnce) return;
    if (isReady) create();
    else props.onNothing?.();
  }, [kind, selected, deviceIds]);
  return (
    <div class="flex flex-col gap-3 border-l-2 border-base-300 pl-4">
      <select
        class="select w-full"
        aria-label={t("alias.kind")}
        value={kind}
        onChange={(e) =>
          set({ kind: KINDS.find((candidate) => candidate === e.currentTarget.value) ?? "deviceType" })
        }
      >
        {KINDS.map((candidate) => (
          <option key={candidate} value={candidate}>
            {t(`alias.${candidate}`)}
          </option>
        ))}
      </select>
      {kind === "deviceType" && (
        <select
          class="select w-full"
          aria-label={t("alias.deviceType")}
          value={selected}
          onChange={(e) => set({ value: e.currentTarget.value })}
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
          value={value}
          onInput={(e) => set({ value: e.currentTarget.value })}
        />
      )}
      {isPicked && <DevicePicker selected={deviceIds} onChange={(ids) => set({ deviceIds: ids })} />}
      {!isAtOnce && (
        <button type="button" class="btn btn-sm self-start" disabled={!isReady} onClick={create}>
          {t("alias.take")}
        </button>
      )}
    </div>
  );
}
