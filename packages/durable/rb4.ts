import { workflow } from "@slipway/durable/ctx";
import { openEngine } from "@slipway/durable/engine";
import { systemClock, systemIds } from "@slipway/durable/environment";
import { openSqlite, type Sqlite } from "@slipway/durable/sqlite";
import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import { eventHash } from "@slipway/durable/chain";
import { mkdtempSync } from "node:fs";
const sqlite = openSqlite(mkdtempSync("/tmp/bb-")+"/x.db");
const med=(a:number[])=>(a.toSorted((x,y)=>x-y)[a.length>>1]!*1000).toFixed(1);
const orig = sqlite.prepare.bind(sqlite); let stub=false;
const fake={run:()=>({changes:1})};
(sqlite as any).prepare=(sql:string)=> stub&&sql.startsWith("INSERT INTO events")?fake:orig(sql);
const RESULT = { passed: true, files: 3, note: "x".repeat(80) };
const w = workflow<null,null,Sqlite>("b","1",async(ctx,_i,s)=>{ 
 await s.exclusive(d=>d.exec("CREATE TABLE bare (id INTEGER PRIMARY KEY, payload TEXT NOT NULL)"));
 const b=s.prepare("INSERT INTO bare(payload) VALUES (?)"); stub=true;
 const p='{"ms":1,"value":{"n":1,"text":"'+"x".repeat(100)+'"}}';
 const T:Record<string,number[]>={}; const add=(k:string,t:number)=>(T[k]??=[]).push(performance.now()-t);
 for(let i=0;i<3000;i++){
  b.run(p); let t=performance.now(); await ctx.step("step:"+i,()=>Promise.resolve(RESULT)); add("step",t);
  b.run(p); t=performance.now(); canonicalJson({ms:1,value:RESULT}); add("canonicalJson",t);
  b.run(p); t=performance.now(); eventHash({stream:"run_1",seq:i,kind:"step",name:"step:"+i,key:"step:"+i,at:1,payload:p,prev:"0".repeat(64)}); add("eventHash",t);
  b.run(p); t=performance.now(); sha256(p); add("sha256",t);
  b.run(p); t=performance.now(); JSON.parse(p); add("parse",t);
  b.run(p); t=performance.now(); new AbortController(); add("abort",t);
  b.run(p); t=performance.now(); await s.exclusive(()=>1); add("exclusive",t);
  b.run(p); t=performance.now(); await (async()=>1)(); add("async",t);
  b.run(p); t=performance.now(); await (async()=>await (async()=>await (async()=>await (async()=>1)())())())(); add("async x4",t);
  b.run(p); t=performance.now(); orig("SELECT * FROM events WHERE stream=? AND key=?").get("x","y"+i); add("lookup",t);
  b.run(p); t=performance.now(); add("nothing",t);
 } 
 for(const k in T) console.log(k.padEnd(16),med(T[k]!)); stub=false; process.exit(0); return null;});
const no=()=>Promise.reject(new Error("x"));
const e = await openEngine({sqlite,blobs:{put:no,get:no},inbox:{open:no,close:no},clock:systemClock,ids:systemIds,workflows:[w],kernel:sqlite});
await e.drive(await e.start("b",null));
