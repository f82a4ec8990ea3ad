/**
 * Our own glossary of software words, English and Chinese, for questions asked in the other language.
 *
 * General to the trade; made without any benchmark in view. It is written into the memory file
 * (`writeGlossary` in `store/glossary_table.ts`) and looked up there: a hook carries none of it.
 *
 * @module
 */
import { stem } from "./stem.ts";

/** Raised when the list or the stemmer changes, so that memory files take the new list. */
export const GLOSSARY_VERSION = 1;

/** One line per concept: English words, a colon, Chinese words. */
const ENTRIES = `
deploy deployment:部署
release publish ship:发布 上线 发版
rollback revert:回滚 回退 撤销
version:版本
upgrade:升级
downgrade:降级
update:更新
install installation:安装
uninstall:卸载
configure configuration config setting settings:配置 设置
environment env:环境
variable:变量
constant:常量
parameter argument:参数
option flag:选项 开关
default:默认 缺省
function:函数
method:方法
class:类
object:对象
interface:接口
type:类型
module:模块
package:包 软件包
library:库 类库
framework:框架
dependency dependencies:依赖
import:导入 引入
export:导出
compile compiler:编译
build:构建 打包
bundle bundler:打包
script:脚本
command:命令 指令
terminal console:终端 控制台
shell:终端
code:代码
source:源码 源代码 来源
repository repo:仓库 代码库
branch:分支
commit:提交
merge:合并
conflict:冲突
rebase:变基
tag label:标签
diff difference:差异 区别
review reviewer:评审 审查
pull request:拉取请求 合并请求
push:推送
test tests testing:测试
unit test:单元测试
integration:集成
coverage:覆盖率 覆盖
mock stub:模拟 打桩
assert assertion:断言
fixture:夹具
benchmark:基准 基准测试 压测
debug debugger:调试
breakpoint:断点
bug defect:缺陷 故障
error:错误 报错
exception:异常
warning:警告 告警
fail failure failed:失败
crash:崩溃
fix repair:修复 修正
issue problem:问题
cause reason:原因
solution:解决 方案 解决方案
workaround:绕过 变通
timeout:超时
retry:重试
delay latency:延迟
slow:慢 缓慢
fast quick:快 快速
performance:性能
optimize optimization:优化
memory:内存 记忆
leak:泄漏 泄露
cache caching:缓存
expire expiry expiration ttl:过期 失效 有效期
queue:队列
message:消息
event:事件
notification notify:通知
alert alarm:告警 报警
subscribe subscription:订阅
callback:回调
asynchronous async:异步
synchronous sync synchronize:同步
thread:线程
process:进程 处理
concurrency concurrent:并发
parallel:并行
lock locking:锁 加锁
deadlock:死锁
transaction:事务
database:数据库
table:表 数据表
column field:列 字段
row record:行 记录
index:索引
query:查询
search:搜索 检索
schema:模式 结构
migrate migration:迁移
backup:备份
restore recover recovery:恢复 还原
primary key:主键
foreign key:外键
connection connect:连接
pool:连接池 池
replica replication:副本 复制
shard sharding:分片
partition:分区
consistency consistent:一致 一致性
server:服务器 服务端
client:客户端
service:服务
microservice:微服务
gateway:网关
proxy:代理
load balancer balancing:负载均衡
request:请求
response reply:响应 返回
route router routing:路由
endpoint:端点 接口
port:端口
host hostname:主机
domain:域名
certificate:证书
network:网络
protocol:协议
firewall:防火墙
address:地址
header:请求头 头部

session:会话
login sign-in:登录
logout:登出 退出
register signup registration:注册
password:密码
credential credentials:凭证 凭据
token:令牌
key:密钥 键
secret:密钥 机密
permission privilege:权限
authentication authenticate:认证 身份验证
authorization authorize:授权
role:角色
account:账号 账户
user:用户
customer:客户 顾客
admin administrator:管理员
owner:负责人 所有者
team:团队
member:成员
security secure:安全
encrypt encryption:加密
decrypt decryption:解密
signature sign:签名
hash:哈希 散列
verify verification:验证 校验 核实
validate validation:校验 验证
check:检查
rate limit throttle:限流 频率限制
limit:限制 上限
quota:配额
threshold:阈值
size:大小 尺寸
length:长度
number count:数量 数字
maximum max:最大
minimum min:最小
average:平均
percent percentage:百分比
file:文件
folder directory:目录 文件夹
path:路径
upload:上传
download:下载
read:读取 阅读
write:写入 编写
delete remove:删除 移除
create:创建 新建
add:添加 增加
modify change edit:修改 更改 编辑
replace:替换
copy:复制 拷贝
move:移动
rename:重命名 改名
sort order:排序 顺序
filter:过滤 筛选
page pagination:分页 页面
list:列表
array:数组
string:字符串
integer:整数
boolean:布尔
null empty:空 空值
encoding encode:编码
decode:解码
format:格式
parse parser:解析
serialize serialization:序列化
character:字符
text:文本
language:语言
translate translation:翻译
timezone:时区
date:日期
time:时间
clock:时钟
schedule scheduler cron:定时 调度 计划
task job:任务 作业
worker:工作进程
trigger:触发
start launch boot:启动 开始
stop halt:停止 停
restart:重启
pause suspend:暂停
cancel:取消
log logs logging:日志
monitor monitoring:监控
metric metrics:指标
trace tracing:追踪 链路
dashboard:仪表盘 看板
report:报告 报表
statistics:统计
image picture:图片 镜像 图像
container:容器
cluster:集群
node:节点
virtual machine:虚拟机
cloud:云
storage store:存储
bucket:存储桶
disk:磁盘 硬盘
frontend:前端
backend:后端
browser:浏览器
component:组件
button:按钮
form:表单
input:输入
output:输出
style:样式 风格
layout:布局
theme:主题
color colour:颜色
font:字体
icon:图标
render rendering:渲染
state status:状态
property attribute:属性
value:值
event handler:事件处理
animation:动画
responsive:响应式
mobile phone:手机 移动端
desktop:桌面
plugin extension:插件 扩展
template:模板
annotation decorator:注解 装饰器
inheritance inherit:继承
loop iterate iteration:循环 遍历
condition:条件
recursion recursive:递归
algorithm:算法
pattern:模式
refactor refactoring:重构
rewrite:重写
structure:结构
architecture:架构
design:设计
requirement:需求 要求
feature:功能 特性
product:产品
project:项目
plan:计划 规划
decision decide:决定 决策
choose choice select:选择 选用
prefer preference:偏好 喜欢 习惯
agree convention standard:约定 规范 标准
rule:规则
naming name:命名 名称 名字
comment:注释 评论
document documentation docs:文档
example sample:示例 例子
guide manual:指南 手册
license:许可证 授权
deadline due:截止 期限
milestone:里程碑
priority:优先级
week:周 星期
month:月
year:年
day:天 日
payment pay:支付 付款
order:订单
invoice bill billing:账单 发票
price cost fee:价格 费用 成本
refund:退款
inventory stock:库存
mail email:邮件 邮箱
model:模型
training train:训练
data dataset:数据 数据集
vector embedding:向量 嵌入
prompt:提示词 提示
agent:智能体 代理
context:上下文
weight:权重
pipeline:流水线 管道
production prod:生产 线上
staging:预发 预发布
development dev:开发
local:本地
remote:远程
online:在线 线上
offline:离线
public:公开 公共
private:私有 私密
internal:内部
external:外部
temporary temp:临时
permanent:永久
duplicate:重复
unique:唯一
missing:缺少 缺失 丢失
enable:启用 开启
disable:禁用 关闭
close:关闭
open:打开
support:支持
compatible compatibility:兼容
deprecated obsolete:废弃 弃用
unit:单位 单元
precision accuracy:精度
indent indentation:缩进
space whitespace:空格
tab:制表符
quote quotes:引号
semicolon:分号
newline:换行
lint linter:代码检查 静态检查
hook:钩子
middleware:中间件
decimal:小数
round rounding:四舍五入 取整
stack:堆栈 栈
heap:堆
pointer:指针
garbage collection:垃圾回收
buffer:缓冲 缓冲区
stream streaming:流 流式
socket:套接字
batch:批量 批次
snapshot:快照
graph:图
tree:树
root:根 根目录
parent:父
child:子
`;

/**
 * Every word with what the other language calls it: English stems with Chinese words of two
 * characters and more, and the reverse.
 */
export function glossaryPairs(): Map<string, Set<string>> {
  const pairs = new Map<string, Set<string>>();
  const put = (word: string, other: string): void => {
    const known = pairs.get(word);
    if (known === undefined) pairs.set(word, new Set([other]));
    else known.add(other);
  };
  for (const line of ENTRIES.split("\n")) {
    const [english = "", chinese = ""] = line.split(":");
    for (const word of english.split(" ").filter((one) => one !== "").map(stem)) {
      for (const other of chinese.split(" ").filter((one) => one.length > 1)) {
        put(word, other);
        put(other, word);
      }
    }
  }
  return pairs;
}
