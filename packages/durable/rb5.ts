import { workflow } from "@slipway/durable/ctx";
import { openEngine } from "@slipway/durable/engine";
import { systemClock, systemIds } from "@slipway/durable/environment";
import { openSqlite, type Sqlite } from "@slipway/durable/sqlite";
import { mkdtempSync } from "node:fs";
const sqlite = openSqlite(mkdtempSync("/tmp/bb-")+"/x.db");
const orig = sqlite.prepare.bind(sqlite); let stub=false;
const fake={run:()=>({changes:1})};
(sqlite as any).prepare=(sql:string)=> stub&&sql.startsWith("INSERT INTO events")?fake:orig(sql);
const RESULT = { passed: true, files: 3, note: "x".repeat(80) };
const w = workflow<null,null,Sqlite>("b","1",async(ctx)=>{ stub=true; let best=1e9;
 for(let k=0;k<200;k++){ const t=performance.now(); for(let i=0;i<500;i++) await ctx.step("step:"+k+":"+i,()=>Promise.resolve(RESULT)); best=Math.min(best,(performance.now()-t)/500); }
 console.log("hot step us",(best*1000).toFixed(2)); process.exit(0); return null;});
const no=()=>Promise.reject(new Error("x"));
const e = await openEngine({sqlite,blobs:{put:no,get:no},inbox:{open:no,close:no},clock:systemClock,ids:systemIds,workflows:[w],kernel:sqlite});
await e.drive(await e.start("b",null));
