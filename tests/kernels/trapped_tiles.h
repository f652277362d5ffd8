#pragma once

#include "kernels/emulated_tiles.h"

#if defined(__x86_64__)

#include <atomic>

#include <signal.h>
#include <ucontext.h>

namespace adassl::kernels {

/// While it lives, the machine's own AMX instructions are obeyed even where it has none: it refuses
/// them with SIGILL, and the handler decodes the refused one, does what the manual says and goes on
/// behind it. So the very code that an AMX machine would run is run, some thousand times slower.
class TrappedTiles {
 public:
  TrappedTiles() {
    struct sigaction ours = {};
    ours.sa_sigaction = &obey;
    ours.sa_flags = SA_SIGINFO;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGILL, &ours, &before_);
  }
  ~TrappedTiles() { sigaction(SIGILL, &before_, nullptr); }
  TrappedTiles(const TrappedTiles&) = delete;
  TrappedTiles& operator=(const TrappedTiles&) = delete;

  static int64_t obeyed() { return count(); }

 private:
  static std::atomic<int64_t>& count() {
    static std::atomic<int64_t> of_all = 0;
    return of_all;
  }

  /// A VEX instruction of three bytes, opcode and operands.
  struct Instruction {
    int prefix = 0;  // 0: none, 2: F3, 3: F2
    int opcode = 0;
    size_t reg = 0;  // ModRM.reg
    size_t rm = 0;   // ModRM.rm, where it names a register
    size_t third = 0;
    bool memory = false;
    int64_t base = 0;   // with the displacement
    int64_t index = 0;  // scaled
    int64_t length = 0;
  };

  static int64_t general(const greg_t* registers, size_t which) {
    constexpr int kOrder[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15};
    return registers[kOrder[which]];
  }

  static bool decode(const unsigned char* at, const greg_t* registers, Instruction& out) {
    const unsigned char* from = at;
    if (*at++ != 0xC4) return false;
    const unsigned char first = *at++;
    const unsigned char second = *at++;
    if ((first & 0x1F) != 2 || (second & 0x84) != 0) return false;  // map 0F38, W0, 128 bits
    const size_t extend_index = (first & 0x40) != 0 ? 0 : 8;
    const size_t extend_base = (first & 0x20) != 0 ? 0 : 8;
    out.third = static_cast<size_t>(~(second >> 3) & 0xF);
    out.prefix = second & 3;
    out.opcode = *at++;
    const unsigned char modrm = *at++;
    const int mode = modrm >> 6;
    out.reg = (modrm >> 3) & 7;
    out.rm = modrm & 7;
    out.memory = mode != 3;
    if (out.memory) {
      size_t base = out.rm + extend_base;
      bool no_base = mode == 0 && out.rm == 5;
      if (no_base) return false;  // relative to the instruction: not what our code does
      if (out.rm == 4) {
        const unsigned char sib = *at++;
        const size_t index = ((sib >> 3) & 7U) + extend_index;
        if (index != 4) out.index = general(registers, index) * (int64_t{1} << (sib >> 6));
        base = (sib & 7U) + extend_base;
        no_base = mode == 0 && (sib & 7) == 5;
      }
      if (!no_base) out.base = general(registers, base);
      if (mode == 1) {
        out.base += static_cast<signed char>(*at++);
      } else if (mode == 2 || no_base) {
        int32_t displacement = 0;
        std::memcpy(&displacement, at, sizeof displacement);
        out.base += displacement;
        at += sizeof displacement;
      }
    }
    out.length = at - from;
    return true;
  }

  static bool obey(const Instruction& of) {
    TileFile& tiles = TileFile::mine();
    void* const memory = reinterpret_cast<void*>(of.base);
    if (of.opcode == 0x49 && of.prefix == 0 && of.memory) {
      tiles.configure(reinterpret_cast<void*>(of.base + of.index));
    } else if (of.opcode == 0x49 && of.prefix == 0 && of.reg == 0 && of.rm == 0) {
      tiles.release();
    } else if (of.opcode == 0x49 && of.prefix == 3 && !of.memory) {
      tiles.zero(of.reg);
    } else if (of.opcode == 0x4B && of.prefix == 3 && of.memory) {
      tiles.load(of.reg, memory, of.index);
    } else if (of.opcode == 0x4B && of.prefix == 2 && of.memory) {
      tiles.store(of.reg, memory, of.index);
    } else if (of.opcode == 0x5C && of.prefix == 2 && !of.memory) {
      tiles.add_product(of.reg, of.rm, of.third);
    } else {
      return false;
    }
    ++count();
    return true;
  }

  static void obey(int, siginfo_t*, void* context) {
    greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    Instruction instruction;
    const auto* at = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
    if (decode(at, registers, instruction) && obey(instruction)) {
      registers[REG_RIP] += instruction.length;
    } else {
      signal(SIGILL, SIG_DFL);  // and again, for good
    }
  }

  struct sigaction before_ = {};
};

}  // namespace adassl::kernels

#endif
