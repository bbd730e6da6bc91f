export const SERVER_NAME = "slipway";
