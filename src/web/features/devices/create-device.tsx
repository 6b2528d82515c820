import { later } from "../../ui/page/later.tsx";

export const CreateDevice = later(
  () => import("./create-device-dialog.tsx"),
  ({ CreateDeviceDialog }) => CreateDeviceDialog,
);
