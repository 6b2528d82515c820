import { Search } from "lucide-preact";
import { useState } from "preact/hooks";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { plural, t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { ConnectionForm, type ConnectionFormProps } from "../field/connection-form.tsx";
import { addressText } from "../field/connection-state.tsx";
import { type BacnetConnection, bacnetApi, type FoundDevice } from "./bacnet-api.ts";
import { connectionForm } from "./bacnet-forms.ts";

const defaults = { name: "", host: "", port: 47_808, timeoutMs: 2_000, enabled: true };

export const BacnetForm = (props: ConnectionFormProps<BacnetConnection>) => (
  <ConnectionForm
    {...props}
    form={connectionForm}
    defaults={defaults}
    api={bacnetApi}
    above={({ values, onChange }) =>
      props.connection === undefined && (
        <DeviceSearch
          onSelect={({ host, port, deviceInstance, network, mac }) =>
            onChange({ ...values, host, port, deviceInstance, network, mac })
          }
        />
      )
    }
  />
);

/** Searches the networks for devices, one of which fills the form. */
function DeviceSearch({ onSelect }: { onSelect: (device: FoundDevice) => void }) {
  const [address, setAddress] = useState("");
  const [isBbmd, setBbmd] = useState(false);
  const [found, setFound] = useState<readonly FoundDevice[] | undefined>(undefined);
  const action = useAction();
  const search = () =>
    action.run(async () => {
      setFound(undefined);
      const asked = address.trim();
      setFound(await bacnetApi.search({ isBbmd, ...(asked !== "" && { address: asked }) }));
    });
  return (
    <details class="mb-4">
      <summary class="cursor-pointer text-sm font-medium">{t("bacnet.searchTitle")}</summary>
      <div class="mt-3 flex flex-col gap-3 border-b border-base-300 pb-4">
        <TextField
          label={t("bacnet.searchAddress")}
          hint={t("bacnet.searchHint")}
          maxLength={maxLengthOf("bacnet/bacnet.schemas.ts", "searchBody", "address")}
          autocomplete="off"
          class="input reading w-full"
          value={address}
          onText={setAddress}
        />
        <Checkbox checked={isBbmd} onCheck={setBbmd} disabled={address.trim() === ""}>
          {t("bacnet.searchBbmd")}
        </Checkbox>
        <Button icon={Search} class="btn btn-sm self-start" disabled={action.busy} onClick={search}>
          {t(action.busy ? "bacnet.searching" : "bacnet.search")}
        </Button>
        <ErrorNote error={action.error} />
        {found && (
          <p role="status">
            {plural("bacnet.found", found.length)} {found.length === 0 && t("bacnetWhy.noResponse")}
          </p>
        )}
        <ul class="flex max-h-48 flex-col gap-1 overflow-y-auto">
          {found?.map((device) => (
            <li key={`${addressText(device)} ${device.deviceInstance}`}>
              <button type="button" class="btn btn-ghost btn-sm" onClick={() => onSelect(device)}>
                {t("bacnet.number", { number: device.deviceInstance })}
                <span class="reading font-normal text-soft">{addressText(device)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
