/* delayd: constant-delay line for packets held in NFQUEUE, in many netns, one thread.
   usage: delayd [-r prio] [-f pidfile] ns:queue:delay_us ...
   Each queue is FIFO with one constant delay; expired packets are released by one batch verdict. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#define RING 65536
typedef struct {
  char ns[32];
  int q;
  long long d;
  struct mnl_socket* nl;
  int fd;
  unsigned h, t;
  unsigned* id;
  long long* due;
  unsigned long long n, drop;
} Q;
static Q qs[512];
static int nq;
static volatile sig_atomic_t stop;
static long long late_sum, late_max;
static unsigned long long late_n, batches;
static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void onsig(int s) {
  (void)s;
  stop = 1;
}
static struct nlmsghdr* hdr(char* b, int type, int q) {
  struct nlmsghdr* n = mnl_nlmsg_put_header(b);
  n->nlmsg_type = (NFNL_SUBSYS_QUEUE << 8) | type;
  n->nlmsg_flags = NLM_F_REQUEST;
  struct nfgenmsg* g = mnl_nlmsg_put_extra_header(n, sizeof *g);
  g->nfgen_family = AF_UNSPEC;
  g->version = NFNETLINK_V0;
  g->res_id = htons(q);
  return n;
}
static int req(Q* q, struct nlmsghdr* n) { /* with ack */
  char r[8192];
  n->nlmsg_flags |= NLM_F_ACK;
  n->nlmsg_seq = 1;
  if (mnl_socket_sendto(q->nl, n, n->nlmsg_len) < 0) return -1;
  int k = mnl_socket_recvfrom(q->nl, r, sizeof r);
  if (k < 0) return -1;
  return mnl_cb_run(r, k, 1, mnl_socket_get_portid(q->nl), NULL, NULL);
}
static int attr_cb(const struct nlattr* a, void* d) {
  const struct nlattr** tb = d;
  int t = mnl_attr_get_type(a);
  if (t <= NFQA_MAX) tb[t] = a;
  return MNL_CB_OK;
}
static void verdict(Q* q, unsigned id) {
  char b[256];
  struct nlmsghdr* n = hdr(b, NFQNL_MSG_VERDICT_BATCH, q->q);
  struct nfqnl_msg_verdict_hdr v = {htonl(NF_ACCEPT), htonl(id)};
  mnl_attr_put(n, NFQA_VERDICT_HDR, sizeof v, &v);
  if (mnl_socket_sendto(q->nl, n, n->nlmsg_len) < 0) perror("verdict");
  batches++;
}
int main(int c, char** v) {
  int prio = 0, i = 1;
  const char* pf = 0;
  while (i < c && v[i][0] == '-') {
    if (v[i][1] == 'r')
      prio = atoi(v[i + 1]);
    else if (v[i][1] == 'f')
      pf = v[i + 1];
    i += 2;
  }
  int ep = epoll_create1(0);
  for (; i < c; i++, nq++) {
    Q* q = qs + nq;
    double d;
    if (sscanf(v[i], "%31[^:]:%d:%lf", q->ns, &q->q, &d) != 3) {
      fprintf(stderr, "bad %s\n", v[i]);
      return 2;
    }
    q->d = (long long)(d * 1000);
    char p[64];
    snprintf(p, sizeof p, "/run/netns/%s", q->ns);
    int f = open(p, O_RDONLY);
    if (f < 0 || setns(f, CLONE_NEWNET)) {
      perror(p);
      return 1;
    }
    close(f);
    q->nl = mnl_socket_open2(NETLINK_NETFILTER, SOCK_NONBLOCK * 0);
    if (!q->nl || mnl_socket_bind(q->nl, 0, MNL_SOCKET_AUTOPID)) {
      perror("mnl");
      return 1;
    }
    q->fd = mnl_socket_get_fd(q->nl);
    int sz = 8 << 20;
    setsockopt(q->fd, SOL_SOCKET, SO_RCVBUFFORCE, &sz, sizeof sz);
    int one = 1;
    mnl_socket_setsockopt(q->nl, NETLINK_NO_ENOBUFS, &one, sizeof one);
    char b[512];
    struct nlmsghdr* n = hdr(b, NFQNL_MSG_CONFIG, q->q);
    struct nfqnl_msg_config_cmd cmd = {NFQNL_CFG_CMD_BIND, 0, htons(AF_INET)};
    mnl_attr_put(n, NFQA_CFG_CMD, sizeof cmd, &cmd);
    if (req(q, n) < 0) {
      perror("bind");
      return 1;
    }
    n = hdr(b, NFQNL_MSG_CONFIG, q->q);
    struct nfqnl_msg_config_params pm = {htonl(0), NFQNL_COPY_META};
    mnl_attr_put(n, NFQA_CFG_PARAMS, sizeof pm, &pm);
    mnl_attr_put_u32(n, NFQA_CFG_QUEUE_MAXLEN, htonl(RING - 1));
    mnl_attr_put_u32(n, NFQA_CFG_FLAGS, htonl(NFQA_CFG_F_GSO | NFQA_CFG_F_FAIL_OPEN));
    mnl_attr_put_u32(n, NFQA_CFG_MASK, htonl(NFQA_CFG_F_GSO | NFQA_CFG_F_FAIL_OPEN));
    if (req(q, n) < 0) {
      perror("params");
      return 1;
    }
    fcntl(q->fd, F_SETFL, fcntl(q->fd, F_GETFL) | O_NONBLOCK);
    q->id = malloc(RING * sizeof *q->id);
    q->due = malloc(RING * sizeof *q->due);
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = nq};
    epoll_ctl(ep, EPOLL_CTL_ADD, q->fd, &e);
  }
  int tf = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct epoll_event e = {.events = EPOLLIN, .data.u32 = 9999};
  epoll_ctl(ep, EPOLL_CTL_ADD, tf, &e);
  prctl(PR_SET_TIMERSLACK, 1);
  mlockall(MCL_CURRENT | MCL_FUTURE);
  if (prio) {
    struct sched_param sp = {prio};
    if (sched_setscheduler(0, SCHED_FIFO, &sp)) perror("SCHED_FIFO (continuing)");
  }
  struct sigaction sa = {0};
  sa.sa_handler = onsig;
  sigaction(SIGTERM, &sa, 0);
  sigaction(SIGINT, &sa, 0);
  sigaction(SIGUSR1, &sa, 0);
  if (pf) {
    FILE* f = fopen(pf, "w");
    fprintf(f, "%d\n", getpid());
    fclose(f);
  }
  static char buf[65536];
  struct epoll_event ev[64];
  long long armed = 0;
  while (!stop) {
    int k = epoll_wait(ep, ev, 64, -1);
    for (int j = 0; j < k; j++) {
      if (ev[j].data.u32 == 9999) {
        unsigned long long x;
        if (read(tf, &x, 8)) {
        }
        armed = 0;
        continue;
      }
      Q* q = qs + ev[j].data.u32;
      ssize_t r;
      int loops = 0;
      while (loops++ < 16 && (r = recv(q->fd, buf, sizeof buf, 0)) > 0) {
        long long t = now();
        for (struct nlmsghdr* n = (void*)buf; mnl_nlmsg_ok(n, r); n = mnl_nlmsg_next(n, (int*)&r)) {
          if ((n->nlmsg_type & 0xff) != NFQNL_MSG_PACKET) continue;
          const struct nlattr* tb[NFQA_MAX + 1] = {0};
          mnl_attr_parse(n, sizeof(struct nfgenmsg), attr_cb, tb);
          const struct nfqnl_msg_packet_hdr* ph = mnl_attr_get_payload(tb[NFQA_PACKET_HDR]);
          q->id[q->t % RING] = ntohl(ph->packet_id);
          q->due[q->t % RING] = t + q->d;
          q->t++;
          q->n++;
        }
      }
    }
    long long t = now(), next = 0;
    for (int j = 0; j < nq; j++) {
      Q* q = qs + j;
      unsigned last = 0;
      int any = 0;
      while (q->h != q->t && q->due[q->h % RING] <= t + 2000) {
        long long l = t - q->due[q->h % RING];
        if (l > late_max) late_max = l;
        late_sum += l;
        late_n++;
        last = q->id[q->h % RING];
        any = 1;
        q->h++;
      }
      if (any) verdict(q, last);
      if (q->h != q->t && (!next || q->due[q->h % RING] < next)) next = q->due[q->h % RING];
    }
    if (next && next != armed) {
      struct itimerspec it = {{0, 0}, {next / 1000000000LL, next % 1000000000LL}};
      timerfd_settime(tf, TFD_TIMER_ABSTIME, &it, 0);
      armed = next;
    }
  }
  unsigned long long n = 0;
  for (int j = 0; j < nq; j++) n += qs[j].n;
  struct timespec cpu;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  fprintf(stderr,
          "delayd: %llu packets, %llu verdicts, lateness mean %.1f us max %.1f us, cpu %.2f s\n", n,
          batches, late_n ? late_sum / 1e3 / late_n : 0., late_max / 1e3,
          cpu.tv_sec + cpu.tv_nsec / 1e9);
  return 0;
}
