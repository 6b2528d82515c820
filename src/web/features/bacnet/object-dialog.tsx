import { useState } from "preact/hooks";
import { unitSymbol } from "../../../lib/keys/key-format.ts";
import { formatCount, formatValue } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { AddFound } from "../field/add-found.tsx";
import type { MapDialogProps } from "../field/map-dialogs.tsx";
import { type BacnetObject, type BrowsedPart, bacnetApi } from "./bacnet-api.ts";
import { rememberMeanings } from "./object-meaning.ts";

type Browsed = BrowsedPart["objects"][number];

/** Formats a value with its unit, or the name of its state. */
function valueText({ value, unit, states }: Browsed): string {
  if (value === null) return "–";
  const state = typeof value === "boolean" ? states[Number(value)] : states[Number(value) - 1];
  return state
    ? `${formatValue(value)} (${state})`
    : `${formatValue(value)} ${unit === null ? "" : unitSymbol(unit)}`.trim();
}

/** Objects of the device, some of which can be added. */
export function ObjectDialog(props: MapDialogProps<BacnetObject> & { connectionId: string }) {
  const first = useResource(() => bacnetApi.browse(props.connectionId, 1), [props.connectionId]);
  return (
    <Dialog title={t("fieldUnit.fromDevice")} onClose={props.onClose}>
      <Loaded of={first}>{(part) => <Objects {...props} first={part} />}</Loaded>
    </Dialog>
  );
}

type ObjectsProps = MapDialogProps<BacnetObject> & { connectionId: string; first: BrowsedPart };

function Objects({ connectionId, first, onAdd, onClose }: ObjectsProps) {
  const [objects, setObjects] = useState<readonly Browsed[]>(first.objects);
  const [next, setNext] = useState(first.next);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [keepsMeanings, setKeepsMeanings] = useState(may("profiles:write"));
  const action = useAction();
  const more = (from: number) =>
    action.run(async () => {
      const part = await bacnetApi.browse(connectionId, from);
      setObjects([...objects, ...part.objects]);
      setNext(part.next);
    });
  const choose = (addresses: readonly string[], isChosen: boolean) => {
    const others = [...chosen].filter((address) => !addresses.includes(address));
    setChosen(new Set(isChosen ? [...others, ...addresses] : others));
  };
  const all = objects.map(({ address }) => address);
  const submit = (e: Event) => {
    e.preventDefault();
    const taken = objects.filter(({ address }) => chosen.has(address));
    if (keepsMeanings) rememberMeanings(taken);
    onAdd(taken.map(({ address, name }) => ({ key: name || address, address })));
  };
  return (
    <form class="flex flex-col gap-3" onSubmit={submit}>
      <Checkbox checked={chosen.size === all.length} onCheck={(isChosen) => choose(all, isChosen)}>
        {plural("bacnet.allHere", objects.length)}
      </Checkbox>
      <ul class="flex max-h-96 flex-col gap-2 overflow-y-auto" aria-label={t("bacnet.objectsTitle")}>
        {objects.map((object) => (
          <li key={object.address}>
            <Checkbox
              checked={chosen.has(object.address)}
              onCheck={(isChosen) => choose([object.address], isChosen)}
              hint={[object.address, object.description].filter((text) => text !== "").join(" · ")}
            >
              {object.name} <span class="reading">{valueText(object)}</span>
            </Checkbox>
          </li>
        ))}
      </ul>
      {next !== null && (
        <button type="button" class="btn btn-sm self-start" disabled={action.busy} onClick={() => more(next)}>
          {t("bacnet.more", { read: formatCount(next - 1), total: formatCount(first.total) })}
        </button>
      )}
      <AddFound
        keepsMeanings={keepsMeanings}
        onKeepsMeanings={setKeepsMeanings}
        error={action.error}
        isDisabled={chosen.size === 0}
        text={plural("bacnet.add", chosen.size)}
        onClose={onClose}
      />
    </form>
  );
}
