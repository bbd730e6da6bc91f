/** One configuration for every package: sources straight from TypeScript, coverage minima that block. */
export declare function packageConfig(project: string, coverage?: boolean): import("vite").UserConfig;
