import { Plus, X } from "lucide-preact";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { codecsApi } from "../codecs/codecs-api.ts";
import type { CodecUse } from "./integrations-api.ts";

interface Props {
  readonly uses: readonly CodecUse[];
  readonly mayChange: boolean;
  readonly onChange: (uses: readonly CodecUse[]) => void;
}

/** Table of the library's codecs in use, and the devices whose frames they decode. */
export function CodecUses({ uses, mayChange, onChange }: Props) {
  const codecs = useResource(codecsApi.list, []);
  const change = (index: number, codecId: string, deviceType?: string) => {
    const changed = { codecId, ...(deviceType && { deviceType }) };
    onChange(uses.map((use, place) => (place === index ? changed : use)));
  };
  const [first] = codecs.data ?? [];
  return (
    <section class="panel flex flex-col gap-3 p-4" aria-label={t("nav.codecs")}>
      <div>
        <h2 class="font-semibold">{t("nav.codecs")}</h2>
        <p class="text-sm text-soft">{t("transform.codecsHint")}</p>
      </div>
      <Loaded of={codecs} />
      {uses.map((use, index) => (
        <div key={index} class="flex flex-wrap items-center gap-2" data-testid="codec-use">
          <input
            class="input min-w-0 flex-[1_1_10rem]"
            aria-label={t("common.deviceType")}
            placeholder={t("transform.allTypes")}
            maxLength={maxLengthOf("devices/devices.schemas.ts", "createDeviceBody", "deviceType")}
            value={use.deviceType ?? ""}
            readOnly={!mayChange}
            onInput={(e) => change(index, use.codecId, e.currentTarget.value)}
          />
          <span aria-hidden="true">→</span>
          <select
            class="select min-w-0 flex-[1_1_10rem]"
            aria-label={t("transform.codec")}
            value={use.codecId}
            disabled={!mayChange}
            onChange={(e) => change(index, e.currentTarget.value, use.deviceType)}
          >
            {(codecs.data ?? []).map(({ codecId, name }) => (
              <option key={codecId} value={codecId} selected={codecId === use.codecId}>
                {name}
              </option>
            ))}
          </select>
          {mayChange && (
            <IconButton
              icon={X}
              label={t("transform.removeCodec", { type: use.deviceType ?? t("transform.allTypes") })}
              class="btn btn-ghost btn-square btn-sm flex-none"
              onClick={() => onChange(uses.filter((_, place) => place !== index))}
            />
          )}
        </div>
      ))}
      <div class="flex flex-wrap items-center gap-3">
        {mayChange && first && (
          <Button icon={Plus} onClick={() => onChange([...uses, { codecId: first.codecId }])}>
            {t("transform.addCodec")}
          </Button>
        )}
        <a class="link text-sm" href="/integrations/codecs">
          {t(first || codecs.data === undefined ? "transform.library" : "transform.noCodecs")}
        </a>
      </div>
    </section>
  );
}
