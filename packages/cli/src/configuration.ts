export { committedConfiguration, readerAt } from "@slipway/kernel/config/committed";
